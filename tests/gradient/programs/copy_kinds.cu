/*---
function = "round_trip"
wrt = ["x"]
of = ["y"]
reference = { x = "2 * x * adj_y" }
[inputs]
y = { zeros = [16] }
x = { shape = [16], random = 1 }
---*/
// Host memory, through every kind of cudaMemcpy, and back.
#include <stdlib.h>

__global__ void square(double *x)
{
    x[threadIdx.x] *= x[threadIdx.x];
}

void round_trip(double *y, const double *x)
{
    size_t bytes = 16 * sizeof(double);
    double *h = (double *)malloc(bytes);
    double *d, *e;
    cudaMalloc(&d, bytes);
    cudaMalloc(&e, bytes);
    cudaMemcpy(h, x, bytes, cudaMemcpyHostToHost);
    cudaMemcpy(d, h, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(e, d, bytes, cudaMemcpyDeviceToDevice);
    square<<<1, 16>>>(e);
    cudaMemcpy(d, e, bytes, cudaMemcpyDefault);
    cudaMemcpy(y, d, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d);
    cudaFree(e);
    free(h);
}
