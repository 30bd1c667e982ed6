/*---
function = "run"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [9] }
x = { shape = [9], random = 1 }
n = 9
[[cases]]
name = "many"
[[cases]]
name = "few"
inputs = { n = 2 }
---*/
// Memory is freed in one branch or another, and a null pointer as often as one likes.
#include <stdlib.h>
__global__ void square(double *y, const double *x, int n)
{
    int i = threadIdx.x;
    if (i < n)
        y[i] += x[i] * x[i];
}

void run(double *y, const double *x, int n)
{
    double *part = NULL, *other = NULL, *never = NULL;
    cudaFree(part);
    cudaMalloc(&part, n * sizeof(double));
    cudaMemset(part, 0, n * sizeof(double));
    square<<<1, 32>>>(part, x, n);
    if (n < 3) {
        square<<<1, 32>>>(y, part, n);
        cudaFree(part);
        return;
    }
    if (n > 5) {
        cudaMalloc(&other, n * sizeof(double));
        cudaMemcpy(other, part, n * sizeof(double), cudaMemcpyDeviceToDevice);
        cudaFree(part);
        part = NULL;
    }
    square<<<1, 32>>>(y, part != NULL ? part : other, n);
    cudaFree(part);
    part = other;
    cudaFree(part);
    other = NULL;
    cudaFree(other);
    cudaFree(never);
    cudaFree(never);
}
