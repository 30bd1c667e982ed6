/*---
function = "timed"
wrt = ["x"]
of = ["y"]
reference = { x = "3 * x**2 * adj_y" }
[inputs]
y = { zeros = [16] }
x = { shape = [16], random = 1 }
---*/
// Host statements that have nothing to do with values: events, a stream, a clock, output.
#include <chrono>
#include <iostream>
#include <stdio.h>

__global__ void cube(double *y, const double *x)
{
    y[threadIdx.x] = x[threadIdx.x] * x[threadIdx.x] * x[threadIdx.x];
}

void timed(double *y, const double *x)
{
    auto begin = std::chrono::steady_clock::now();
    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaEventRecord(start, stream);
    cube<<<1, 16, 0, stream>>>(y, x);
    cudaStreamSynchronize(stream);
    cudaEventRecord(stop, 0);
    cudaEventSynchronize(stop);
    float ms = 0.0f;
    cudaEventElapsedTime(&ms, start, stop);
    cudaStreamDestroy(stream);
    auto end = std::chrono::steady_clock::now();
    std::cout << std::chrono::duration<double>(end - begin).count() << std::endl;
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
}
