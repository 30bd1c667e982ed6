/*---
function = "solve"
wrt = ["a", "b"]
of = ["x"]
[inputs]
x = { zeros = [9] }
a = { shape = [9, 9], random = 1 }
b = { shape = [9], random = 2 }
n = 9
[gradcheck]
rtol = 1e-5
---*/
// A linear system by LU with partial pivoting: the pivot's row is found on the host in a column that is copied back,
// rows are exchanged on the device, and two triangular solves follow, all in place.
#include <math.h>
#include <stdlib.h>

__global__ void exchange(double *a, double *b, int p, int q, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < n) {
        double kept = a[p * n + j];
        a[p * n + j] = a[q * n + j];
        a[q * n + j] = kept;
    }
    if (j == 0) {
        double kept = b[p];
        b[p] = b[q];
        b[q] = kept;
    }
}

__global__ void multipliers(double *a, int k, int n)
{
    int i = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i * n + k] /= a[k * n + k];
}

__global__ void update(double *a, int k, int n)
{
    int j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    int i = k + 1 + blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n)
        a[i * n + j] -= a[i * n + k] * a[k * n + j];
}

__global__ void eliminate(double *b, const double *a, int k, int n)
{
    int i = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        b[i] -= a[i * n + k] * b[k];
}

__global__ void divide(double *b, const double *a, int k, int n)
{
    b[k] /= a[k * n + k];
}

__global__ void substitute(double *b, const double *a, int k, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < k)
        b[i] -= a[i * n + k] * b[k];
}

static int pivot_row(const double *d_a, double *h_a, int k, int n)
{
    cudaMemcpy(h_a, d_a, n * n * sizeof(double), cudaMemcpyDeviceToHost);
    int best = k;
    for (int i = k + 1; i < n; i++)
        if (fabs(h_a[i * n + k]) > fabs(h_a[best * n + k]))
            best = i;
    return best;
}

void solve(double *x, const double *a, const double *b, int n)
{
    double *d_a, *d_b, *h_a = (double *)malloc(n * n * sizeof(double));
    cudaMalloc(&d_a, n * n * sizeof(double));
    cudaMalloc(&d_b, n * sizeof(double));
    cudaMemcpy(d_a, a, n * n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int k = 0; k < n - 1; k++) {
        int p = pivot_row(d_a, h_a, k, n), left = n - k - 1;
        if (p != k)
            exchange<<<(n + 3) / 4, 4>>>(d_a, d_b, k, p, n);
        multipliers<<<(left + 3) / 4, 4>>>(d_a, k, n);
        update<<<dim3((left + 3) / 4, (left + 1) / 2), dim3(4, 2)>>>(d_a, k, n);
    }
    for (int k = 0; k < n - 1; k++)
        eliminate<<<(n - k - 1 + 3) / 4, 4>>>(d_b, d_a, k, n);
    for (int k = n - 1; k >= 0; k--) {
        divide<<<1, 1>>>(d_b, d_a, k, n);
        if (k > 0)
            substitute<<<(k + 3) / 4, 4>>>(d_b, d_a, k, n);
    }
    cudaMemcpy(x, d_b, n * sizeof(double), cudaMemcpyDeviceToHost);
    free(h_a);
    cudaFree(d_a);
    cudaFree(d_b);
}
