/*---
function = "solve"
wrt = ["a", "b"]
of = ["x"]
reference = { b = "np.linalg.solve(a.T, adj_x)", a = "-np.outer(np.linalg.solve(a.T, adj_x), np.linalg.solve(a, b))" }
[inputs]
x = { zeros = [6] }
a = { values = [6.0, 0.3, -0.8, 1.1, 0.2, -0.5, 0.9, 5.5, 0.4, -0.6, 1.3, 0.7, -1.2, 0.8, 7.1, 0.5, -0.3, 0.6, 0.4, -0.9, 1.0, 6.4, 0.2, -1.1, 0.7, 0.6, -0.4, 0.3, 5.8, 0.9, -0.2, 1.4, 0.5, -0.7, 0.8, 6.6], shape = [6, 6] }
b = { shape = [6], random = 2 }
n = 6
---*/
// Rodinia's elimination: two kernels for each column on copies in device memory, then back substitution on the host.
#include <stdlib.h>

__global__ void multipliers(double *m, const double *a, int n, int t)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n - 1 - t)
        return;
    m[n * (i + t + 1) + t] = a[n * (i + t + 1) + t] / a[n * t + t];
}

__global__ void eliminate(const double *m, double *a, double *b, int n, int columns, int t)
{
    int row = threadIdx.x + blockIdx.x * blockDim.x, column = threadIdx.y + blockIdx.y * blockDim.y;
    if (row >= n - 1 - t || column >= columns - t)
        return;
    a[n * (row + 1 + t) + column + t] -= m[n * (row + 1 + t) + t] * a[n * t + column + t];
    if (column == 0)
        b[row + 1 + t] -= m[n * (row + 1 + t) + t] * b[t];
}

void solve(double *x, const double *a, const double *b, int n)
{
    double *m, *d_a, *d_b;
    size_t square = n * n * sizeof(double);
    cudaMalloc(&m, square);
    cudaMalloc(&d_a, square);
    cudaMalloc(&d_b, n * sizeof(double));
    cudaMemset(m, 0, square);
    cudaMemcpy(d_a, a, square, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int t = 0; t < n - 1; t++) {
        multipliers<<<2, 4>>>(m, d_a, n, t);
        eliminate<<<dim3(2, 2), dim3(4, 4)>>>(m, d_a, d_b, n, n, t);
    }
    double *h_a = (double *)malloc(square), *h_b = (double *)malloc(n * sizeof(double));
    cudaMemcpy(h_a, d_a, square, cudaMemcpyDeviceToHost);
    cudaMemcpy(h_b, d_b, n * sizeof(double), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) {
        int r = n - i - 1;
        x[r] = h_b[r];
        for (int j = 0; j < i; j++)
            x[r] -= h_a[n * r + (n - j - 1)] * x[n - j - 1];
        x[r] = x[r] / h_a[n * r + r];
    }
    cudaFree(m);
    cudaFree(d_a);
    cudaFree(d_b);
    free(h_a);
    free(h_b);
}
