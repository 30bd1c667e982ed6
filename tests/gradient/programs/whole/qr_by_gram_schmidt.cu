/*---
function = "factorise"
wrt = ["a"]
of = ["q", "r"]
[inputs]
a = { shape = [11, 5], random = 1 }
q = { zeros = [11, 5] }
r = { zeros = [5, 5] }
rows = 11
columns = 5
---*/
// QR by modified Gram-Schmidt: two loops on the host around kernels that work on a column, norms and products read
// back.
#include <math.h>

__global__ void column_dot(double *result, const double *a, int i, int j, int rows, int columns)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < rows)
        atomicAdd(result, a[k * columns + i] * a[k * columns + j]);
}

__global__ void scale_column(double *a, int j, double factor, int rows, int columns)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < rows)
        a[k * columns + j] *= factor;
}

__global__ void subtract_column(double *a, int j, int i, double factor, int rows, int columns)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < rows)
        a[k * columns + j] -= factor * a[k * columns + i];
}

double product(const double *a, int i, int j, double *sum, int rows, int columns)
{
    double value;
    cudaMemset(sum, 0, sizeof(double));
    column_dot<<<(rows + 3) / 4, 4>>>(sum, a, i, j, rows, columns);
    cudaMemcpy(&value, sum, sizeof value, cudaMemcpyDeviceToHost);
    return value;
}

void factorise(double *q, double *r, const double *a, int rows, int columns)
{
    size_t bytes = rows * columns * sizeof(double);
    double *d_q, *d_sum;
    cudaMalloc(&d_q, bytes);
    cudaMalloc(&d_sum, sizeof(double));
    cudaMemcpy(d_q, a, bytes, cudaMemcpyHostToDevice);
    for (int i = 0; i < columns; i++) {
        double length = sqrt(product(d_q, i, i, d_sum, rows, columns));
        r[i * columns + i] = length;
        scale_column<<<(rows + 3) / 4, 4>>>(d_q, i, 1.0 / length, rows, columns);
        for (int j = i + 1; j < columns; j++) {
            r[i * columns + j] = product(d_q, i, j, d_sum, rows, columns);
            subtract_column<<<(rows + 3) / 4, 4>>>(d_q, j, i, r[i * columns + j], rows, columns);
        }
    }
    cudaMemcpy(q, d_q, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_q);
    cudaFree(d_sum);
}
