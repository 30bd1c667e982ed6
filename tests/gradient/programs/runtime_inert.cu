/*---
function = "driver"
wrt = ["x"]
of = ["y"]
reference = { x = "3 * x**2 * adj_y" }
[inputs]
y = { zeros = [16] }
x = { shape = [16], random = 1 }
---*/
// Calls of the runtime that change no value: devices, streams and events in arrays, timing in a loop, settings of kernels.
#include <stdio.h>
#include <stdlib.h>
#include <cuda_profiler_api.h>

#define CHECK(call)                                                                  \
    do {                                                                             \
        cudaError_t error = (call);                                                  \
        if (error != cudaSuccess) {                                                  \
            fprintf(stderr, "%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error)); \
            exit(1);                                                                 \
        }                                                                            \
    } while (0)

__global__ void cube(double *y, const double *x, int offset)
{
    extern __shared__ double kept[];
    int i = offset + threadIdx.x;
    kept[threadIdx.x] = x[i];
    y[i] = kept[threadIdx.x] * kept[threadIdx.x] * kept[threadIdx.x];
}

void driver(double *y, const double *x)
{
    int devices = 0, device = -1;
    size_t available, total;
    CHECK(cudaGetDeviceCount(&devices));
    CHECK(cudaSetDevice(0));
    CHECK(cudaGetDevice(&device));
    CHECK(cudaMemGetInfo(&available, &total));
    if (devices < 1 || device != 0 || available > total)
        return;
    CHECK(cudaFuncSetAttribute(cube, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024));
    cudaFuncSetCacheConfig(cube, cudaFuncCachePreferShared);
    cudaProfilerStart();
    cudaStream_t streams[2];
    cudaEvent_t *done = (cudaEvent_t *)malloc(2 * sizeof(cudaEvent_t));
    cudaEvent_t start;
    CHECK(cudaEventCreateWithFlags(&start, cudaEventDefault));
    float ms = 0.0f, sum = 0.0f;
    for (int k = 0; k < 2; k++) {
        CHECK(cudaStreamCreateWithFlags(&streams[k], cudaStreamNonBlocking));
        CHECK(cudaEventCreate(&done[k]));
    }
    for (int k = 0; k < 2; k++) {
        CHECK(cudaEventRecord(start, streams[k]));
        if (k > 0)
            CHECK(cudaStreamWaitEvent(streams[k], done[k - 1], 0));
        cube<<<1, 8, 8 * sizeof(double), streams[k]>>>(y, x, 8 * k);
        CHECK(cudaEventRecord(done[k], streams[k]));
        CHECK(cudaEventSynchronize(done[k]));
        CHECK(cudaEventElapsedTime(&ms, start, done[k]));
        sum += ms;
    }
    if (sum < 0.0f)
        printf("%f\n", sum);
    for (int k = 0; k < 2; k++) {
        cudaStreamSynchronize(streams[k]);
        cudaEventDestroy(done[k]);
        cudaStreamDestroy(streams[k]);
    }
    cudaEventDestroy(start);
    free(done);
    cudaProfilerStop();
    cudaThreadSynchronize();
}
