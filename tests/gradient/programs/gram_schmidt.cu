/*---
function = "orthonormalise"
wrt = ["a"]
of = ["q", "r"]
[inputs]
q = { zeros = [9, 4] }
r = { zeros = [4, 4] }
a = { shape = [9, 4], random = 1 }
m = 9
n = 4
---*/
// Gram-Schmidt: for each column a norm, a scaling and projections, in place, the column's number going to the kernels.
__global__ void norm(double *r, const double *a, int k, int m, int n)
{
    if (threadIdx.x == 0) {
        double sum = 0.0;
        for (int i = 0; i < m; i++)
            sum += a[i * n + k] * a[i * n + k];
        r[k * n + k] = sqrt(sum);
    }
}

__global__ void scale(double *q, const double *r, const double *a, int k, int m, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m)
        q[i * n + k] = a[i * n + k] / r[k * n + k];
}

__global__ void project(double *a, double *r, const double *q, int k, int m, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j > k && j < n) {
        r[k * n + j] = 0.0;
        for (int i = 0; i < m; i++)
            r[k * n + j] += q[i * n + k] * a[i * n + j];
        for (int i = 0; i < m; i++)
            a[i * n + j] -= q[i * n + k] * r[k * n + j];
    }
}

void orthonormalise(double *q, double *r, double *a, int m, int n)
{
    for (int k = 0; k < n; k++) {
        norm<<<1, 4>>>(r, a, k, m, n);
        scale<<<(m + 3) / 4, 4>>>(q, r, a, k, m, n);
        project<<<(n + 2) / 3, 3>>>(a, r, q, k, m, n);
    }
}
