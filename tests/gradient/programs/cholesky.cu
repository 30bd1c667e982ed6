/*---
function = "factorise"
wrt = ["a"]
of = ["a"]
[launch]
grid = 1
block = 8
[inputs]
a = { values = [4.0, 1.0, 0.5, 0.2, 0.1, 1.0, 5.0, 0.7, 0.3, 0.4, 0.5, 0.7, 6.0, 0.8, 0.6, 0.2, 0.3, 0.8, 4.5, 0.9, 0.1, 0.4, 0.6, 0.9, 5.5], shape = [5, 5] }
n = 5

[[cases]]
name = "cholesky"

[[cases]]
name = "lu"
function = "lu"
---*/
// Cholesky's and the LU factorisation of a matrix in shared memory, with barriers between the steps of each column.
#define MAX 8

__global__ void factorise(double *a, int n)
{
    __shared__ double s[MAX][MAX];
    int t = threadIdx.x;
    for (int j = 0; j < n; j++)
        if (t < n)
            s[t][j] = a[t * n + j];
    __syncthreads();
    for (int k = 0; k < n; k++) {
        if (t == k)
            s[k][k] = sqrt(s[k][k]);
        __syncthreads();
        if (t > k && t < n)
            s[t][k] /= s[k][k];
        __syncthreads();
        if (t > k && t < n)
            for (int j = k + 1; j <= t; j++)
                s[t][j] -= s[t][k] * s[j][k];
        __syncthreads();
    }
    if (t < n)
        for (int j = 0; j <= t; j++)
            a[t * n + j] = s[t][j];
}

__global__ void lu(double *a, int n)
{
    __shared__ double s[MAX * MAX];
    int t = threadIdx.x;
    for (int i = t; i < n * n; i += blockDim.x)
        s[i] = a[i];
    for (int k = 0; k < n - 1; k++) {
        __syncthreads();
        if (t > k && t < n)
            s[t * n + k] /= s[k * n + k];
        __syncthreads();
        for (int j = k + 1; j < n; j++)
            if (t > k && t < n)
                s[t * n + j] -= s[t * n + k] * s[k * n + j];
    }
    __syncthreads();
    for (int i = t; i < n * n; i += blockDim.x)
        a[i] = s[i];
}
