/*---
function = "settle"
wrt = ["x"]
[inputs]
x = { shape = [45], random_uniform = 1, low = -0.5, high = 0.5 }
n = 45
tolerance = 0.05

[[cases]]
name = "some_steps"

[[cases]]
name = "one_step"
inputs = { tolerance = 1e9 }
---*/
// A time loop that ends when a value read back from the device says so.
#include <stdlib.h>

__global__ void relax(double *to, const double *from, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double left = i > 0 ? from[i - 1] : 0.0, right = i < n - 1 ? from[i + 1] : 0.0;
        to[i] = 0.5 * from[i] + 0.2 * (left + right) - 0.1 * from[i] * from[i];
    }
}

double settle(const double *x, int n, double tolerance)
{
    size_t bytes = n * sizeof(double);
    double *from, *to, *h = (double *)malloc(bytes);
    cudaMalloc((void **)&from, bytes);
    cudaMalloc((void **)&to, bytes);
    cudaMemcpy(from, x, bytes, cudaMemcpyHostToDevice);
    double residual = 0.0;
    int steps = 0;
    do {
        relax<<<(n + 31) / 32, 32>>>(to, from, n);
        cudaMemcpy(h, to, bytes, cudaMemcpyDeviceToHost);
        residual = 0.0;
        for (int i = 0; i < n; i++)
            residual += h[i] * h[i];
        double *swap = from;
        from = to;
        to = swap;
        steps++;
    } while (residual > tolerance && steps < 50);
    double sum = residual * steps;
    for (int i = 0; i < n; i++)
        sum += h[i] * (i + 1);
    cudaFree(from);
    cudaFree(to);
    free(h);
    return sum;
}
