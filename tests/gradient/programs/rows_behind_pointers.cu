/*---
function = "model"
wrt = ["x"]
of = ["y"]
[inputs]
x = { shape = [48], random = 1 }
y = { zeros = [14] }
m = 4
n = 12
[[cases]]
name = "one row"
inputs = { m = 1, n = 7 }
---*/
// Rows of a matrix through a table of pointers on the device: threads along a row, and threads with a row each, of which
// several lead to the same memory.
#include <stdlib.h>

__global__ void columns(double **rows, double *y, int m, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < n) {
        double s = 0;
        for (int i = 0; i < m; i++)
            s += rows[i][j] * rows[i][j];
        y[j] = s;
    }
}
__global__ void heads(double **rows, double *y, int m)
{
    int i = threadIdx.x;
    if (i < m)
        atomicAdd(y, rows[(i + 1) % m][1] * rows[i][0]);
}

void model(double *y, const double *x, int m, int n)
{
    double **h = (double **)malloc(m * sizeof(double *)), **rows, *matrix;
    cudaMalloc(&matrix, m * n * sizeof(double));
    cudaMemcpy(matrix, x, m * n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMalloc(&rows, m * sizeof(double *));
    for (int i = 0; i < m; i++)
        h[i] = matrix + i * n;
    cudaMemcpy(rows, h, m * sizeof(double *), cudaMemcpyHostToDevice);
    columns<<<2, 16>>>(rows, y, m, n);
    for (int i = 0; i < m; i++)
        h[i] = matrix + i / 3 * n;
    cudaMemcpy(rows, h, m * sizeof(double *), cudaMemcpyHostToDevice);
    heads<<<1, 32>>>(rows, y + n, m);
    cudaFree(rows);
    cudaFree(matrix);
    free(h);
}
