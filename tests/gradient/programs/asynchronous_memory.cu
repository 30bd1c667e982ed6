/*---
function = "driver"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [12] }
x = { shape = [12], random = 1 }
n = 12
---*/
// Pinned host memory, allocations in the order of a stream, copies and fills without waiting, copies between
// devices, overlapping moves.
#include <string.h>

__global__ void square(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += x[i] * x[i];
}

void driver(double *y, const double *x, int n)
{
    size_t bytes = n * sizeof(double);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    double *pinned, *staging, *d_x, *d_y;
    cudaMallocHost((void **)&pinned, bytes);
    if (cudaHostAlloc((void **)&staging, bytes, cudaHostAllocDefault) != cudaSuccess)
        return;
    cudaMallocAsync((void **)&d_x, bytes, stream);
    cudaMallocAsync((void **)&d_y, bytes, stream);
    for (int i = 0; i < n; i++)
        pinned[i] = x[i] * x[i];
    memmove(pinned, pinned + 2, (n - 2) * sizeof(double));
    cudaMemcpyAsync(d_x, pinned, bytes, cudaMemcpyHostToDevice, stream);
    cudaMemsetAsync(d_y, 0, bytes, stream);
    for (int k = 0; k < 3; k++) {
        square<<<(n + 7) / 8, 8, 0, stream>>>(d_y, d_x, n);
        cudaMemcpyAsync(d_x, d_y, bytes / 2, cudaMemcpyDeviceToDevice, stream);
    }
    cudaMemcpyPeer(d_x, 0, d_y, 0, bytes);
    cudaMemcpyPeerAsync(d_y + 1, 0, d_x, 0, bytes - sizeof(double), stream);
    cudaMemcpyAsync(staging, d_y, bytes, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    memcpy(y, staging, bytes);
    cudaFreeAsync(d_x, stream);
    cudaFreeAsync(d_y, stream);
    cudaFreeHost(pinned);
    cudaFreeHost(staging);
    cudaStreamDestroy(stream);
}
