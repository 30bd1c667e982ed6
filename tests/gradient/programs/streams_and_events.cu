/*---
function = "timed"
wrt = ["x"]
of = ["y"]
reference = { x = "3 * x**2 * adj_y" }
[inputs]
y = { zeros = [16] }
x = { shape = [16], random = 1 }
---*/
// Asynchronous copies and a launch in a stream, timed by events.
#include <stdio.h>

__global__ void cube(double *y, const double *x)
{
    y[threadIdx.x] = x[threadIdx.x] * x[threadIdx.x] * x[threadIdx.x];
}

void timed(double *y, const double *x)
{
    size_t bytes = 16 * sizeof(double);
    double *d_x, *d_y;
    cudaEvent_t start, stop;
    cudaStream_t stream;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaStreamCreate(&stream);
    cudaMalloc(&d_x, bytes);
    cudaMalloc(&d_y, bytes);
    cudaEventRecord(start, stream);
    cudaMemcpyAsync(d_x, x, bytes, cudaMemcpyHostToDevice, stream);
    cube<<<1, 16, 0, stream>>>(d_y, d_x);
    cudaMemcpyAsync(y, d_y, bytes, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    cudaEventRecord(stop, 0);
    cudaEventSynchronize(stop);
    float ms = 0.0f;
    cudaEventElapsedTime(&ms, start, stop);
    if (ms < 0.0f)
        printf("%f ms\n", ms);
    cudaStreamDestroy(stream);
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    cudaFree(d_x);
    cudaFree(d_y);
}
