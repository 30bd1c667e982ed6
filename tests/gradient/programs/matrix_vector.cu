/*---
function = "atax"
wrt = ["a", "x"]
of = ["y"]
reference = { a = "np.outer(a @ x, adj_y) + np.outer(a @ adj_y, x)", x = "a.T @ (a @ adj_y)" }
[inputs]
y = { zeros = [9] }
a = { shape = [11, 9], random = 1 }
x = { shape = [9], random = 2 }
m = 11
n = 9
---*/
// y = A^T (A x) by two kernels, one along rows, one along columns.
__global__ void rows(double *out, const double *a, const double *x, int m, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m) {
        out[i] = 0.0;
        for (int j = 0; j < n; j++)
            out[i] += a[i * n + j] * x[j];
    }
}

__global__ void columns(double *out, const double *a, const double *x, int m, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < n) {
        double sum = 0.0;
        for (int i = 0; i < m; i++)
            sum += a[i * n + j] * x[i];
        out[j] = sum;
    }
}

void atax(double *y, const double *a, const double *x, int m, int n)
{
    double *between;
    cudaMalloc(&between, m * sizeof(double));
    rows<<<(m + 3) / 4, 4>>>(between, a, x, m, n);
    columns<<<(n + 3) / 4, 4>>>(y, a, between, m, n);
    cudaFree(between);
}
