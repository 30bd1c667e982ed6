/*---
function = "driver"
wrt = ["x", "factor"]
of = ["y"]
[inputs]
y = { zeros = [23] }
x = { shape = [23], random = 1 }
factor = 0.7
n = 23
---*/
// Launches by cudaLaunchKernel, with sizes that the occupancy calculator and the device's properties give.
#include <stdio.h>

__global__ void scale(double *y, const double *x, double factor, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] += factor * x[i] * x[i];
}

__global__ void nothing() {}

void driver(double *y, const double *x, double factor, int n)
{
    size_t bytes = n * sizeof(double);
    double *d_x, *d_y;
    int least, block, active = 0, processors = 0;
    struct cudaDeviceProp device;
    cudaDeviceProp *info = &device;
    if (cudaGetDeviceProperties(&device, 0) != cudaSuccess || info->warpSize < 1 || device.maxThreadsDim[0] < 64)
        return;
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    cudaOccupancyMaxPotentialBlockSize(&least, &block, scale, 0, 16);
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&active, scale, block, 0) != cudaSuccess || active < 1)
        return;
    if (processors < 1)
        printf("%s has none\n", device.name);
    cudaMalloc(&d_x, bytes);
    cudaMalloc(&d_y, bytes);
    cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice);
    cudaMemset(d_y, 0, bytes);
    void *args[] = {&d_y, &d_x, &factor, &n};
    for (int k = 0; k < 3; k++) {
        if (cudaLaunchKernel((const void *)scale, dim3(2), dim3(block > 8 ? 8 : block), args, 0, 0) != cudaSuccess)
            return;
        factor *= factor;
        double *other = d_x;
        d_x = d_y;
        d_y = other;
    }
    void *more[4];
    more[0] = &d_x;
    more[1] = (void *)&d_y;
    more[2] = &factor;
    more[3] = &n;
    cudaLaunchKernel((void *)scale, 1, 32, more, 0, NULL);
    cudaLaunchKernel((void *)nothing, 1, 32, NULL, 0, NULL);
    cudaMemcpy(y, d_x, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    cudaFree(d_y);
}
