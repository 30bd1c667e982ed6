/*---
function = "largest_eigenvalue"
wrt = ["a", "start"]
[inputs]
a = { shape = [9, 9], random_uniform = 1, low = 0.2, high = 1.0 }
start = { shape = [9], random_uniform = 2, low = 0.5, high = 1.0 }
n = 9
tolerance = 1e-4
---*/
// The largest eigenvalue by power iteration, with Aitken's extrapolation of the last three estimates on the host.
#include <math.h>
#include <stdio.h>

__global__ void matrix_times(double *y, const double *a, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    y[i] = 0;
    for (int j = 0; j < n; ++j)
        y[i] += a[i * n + j] * x[j];
}

__global__ void scale(double *x, double s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= s;
}

__global__ void dot(double *result, const double *x, const double *y, int n)
{
    __shared__ double part[8];
    double sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += x[i] * y[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        sum = 0;
        for (int k = 0; k < 8; k++)
            sum += part[k];
        *result = sum;
    }
}

double largest_eigenvalue(const double *a, const double *start, int n, double tolerance)
{
    double *d_a, *x, *y, *d_scalars, scalars[2], estimate[3] = {0.0, 0.0, 0.0};
    cudaMalloc(&d_a, n * n * sizeof(double));
    cudaMalloc(&x, n * sizeof(double));
    cudaMalloc(&y, n * sizeof(double));
    cudaMalloc(&d_scalars, 2 * sizeof(double));
    cudaMemcpy(d_a, a, n * n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(x, start, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int k = 0; k < 3 || fabs(estimate[2] - estimate[1]) > tolerance; k++) {
        matrix_times<<<(n + 3) / 4, 4>>>(y, d_a, x, n);
        dot<<<1, 8>>>(d_scalars, x, y, n);
        dot<<<1, 8>>>(d_scalars + 1, x, x, n);
        cudaMemcpy(scalars, d_scalars, sizeof scalars, cudaMemcpyDeviceToHost);
        estimate[0] = estimate[1];
        estimate[1] = estimate[2];
        estimate[2] = scalars[0] / scalars[1];
        scale<<<(n + 3) / 4, 4>>>(y, 1.0 / estimate[2], n);
        double *t = x;
        x = y;
        y = t;
        if (k > 50) {
            fprintf(stderr, "no convergence\n");
            return -1.0;
        }
    }
    double first = estimate[1] - estimate[0], second = estimate[2] - estimate[1];
    double value = estimate[2] - second * second / (second - first);
    cudaFree(d_a);
    cudaFree(x);
    cudaFree(y);
    cudaFree(d_scalars);
    return value;
}
