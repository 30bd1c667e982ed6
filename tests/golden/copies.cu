/*---
function = "energy"
wrt = ["x"]
[inputs]
x = { shape = [20], random = 1 }
---*/
// Allocation, copies, a launch, a sum on the host, and a returned value.
#include <stdlib.h>

#define N 20

__global__ void square(float *y, const float *x)
{
    y[threadIdx.x] = x[threadIdx.x] * x[threadIdx.x];
}

float energy(const float *x)
{
    float *d_x, *d_y;
    float *y = (float *)malloc(N * sizeof(float));
    cudaMalloc(&d_x, N * sizeof(float));
    cudaMalloc(&d_y, N * sizeof(float));
    cudaMemcpy(d_x, x, N * sizeof(float), cudaMemcpyHostToDevice);
    square<<<1, N>>>(d_y, d_x);
    cudaMemcpy(y, d_y, N * sizeof(float), cudaMemcpyDeviceToHost);
    float sum = 0.0f;
    for (int i = 0; i < N; i++)
        sum += y[i];
    cudaFree(d_x);
    cudaFree(d_y);
    free(y);
    return sum;
}
