/*---
wrt = ["x"]
inputs = { n = 12, x = { shape = [12], random_uniform = 3, low = 0.3, high = 1.2 } }

[[cases]]
name = "registered"
function = "registered"
[[cases]]
name = "peers"
function = "peers"
[[cases]]
name = "symbols"
function = "symbols"
[[cases]]
name = "default_streams"
function = "default_streams"
[[cases]]
name = "polled"
function = "polled"
---*/
// Rows of the table of runtime operations as programs use them together.
#include <cuda_runtime.h>
#include <stdlib.h>
#include <string.h>

__global__ void weigh(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += x[i] * x[i] * (i + 1);
}

// Pageable memory that is pinned for a while, copied in a stream; idle calls of cudaFree.
double registered(const double *x, int n)
{
    size_t bytes = n * sizeof(double);
    double *h = (double *)malloc(bytes), *u, *v, *none = NULL, sum = 0;
    cudaStream_t stream;
    cudaFree(0);
    free(NULL);
    cudaMalloc(&none, 0);
    cudaHostRegister(h, bytes, cudaHostRegisterDefault);
    for (int i = 0; i < n; i++) h[i] = x[i] * x[i];
    cudaMalloc(&u, bytes);
    cudaMalloc(&v, bytes);
    cudaStreamCreate(&stream);
    cudaMemcpyAsync(u, h, bytes, cudaMemcpyHostToDevice, stream);
    cudaMemsetAsync(v, 0, bytes, stream);
    weigh<<<1, 32, 0, stream>>>(v, u, n);
    cudaMemcpyAsync(h, v, bytes, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    for (int i = 0; i < n; i++) sum += h[i];
    cudaHostUnregister(h);
    cudaStreamDestroy(stream);
    free(h);
    cudaFree(u);
    cudaFree(v);
    cudaFree(none);
    return sum;
}

// Rows go to a second device, all at once with what lies between them.
double peers(const double *x, int n)
{
    int rows = n / 4, can = 0, devices = 0;
    size_t pitch, width = 3 * sizeof(double);
    double *p, *q, h[64], sum = 0;
    cudaGetDeviceCount(&devices);
    if (devices > 1)
        cudaDeviceCanAccessPeer(&can, 0, 1);
    cudaMallocPitch((void **)&p, &pitch, 4 * sizeof(double), rows);
    cudaMallocPitch((void **)&q, &pitch, 4 * sizeof(double), rows);
    cudaMemset2D(p, pitch, 0, pitch, rows);
    cudaMemset2D(q, pitch, 0, 4 * sizeof(double), rows);
    cudaMemcpy2DAsync(p, pitch, x, 4 * sizeof(double), width, rows, cudaMemcpyHostToDevice, 0);
    cudaMemcpyPeer(q, 0, p, 0, pitch * (rows - 1) + width);
    for (int r = 0; r < rows; r++)
        weigh<<<1, 32>>>((double *)((char *)p + r * pitch), (double *)((char *)q + r * pitch), 3);
    cudaMemcpy2D(h, width, p, pitch, width, rows, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 3 * rows; i++) sum += h[i] * h[i];
    cudaFree(p);
    cudaFree(q);
    return sum;
}

__device__ double state[16];
__constant__ double table[4];

__global__ void mix(double *y, int n)
{
    int i = threadIdx.x;
    if (i < n) y[i] = state[i] * state[(i + 1) % n] * table[i % 4];
}

// Device variables from and to device memory, with offsets, and through their addresses.
double symbols(const double *x, int n)
{
    double *d, *inside, w[3];
    cudaMalloc(&d, n * sizeof(double));
    cudaMemcpy(d, x, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(state, d, n * sizeof(double), 0, cudaMemcpyDeviceToDevice);
    cudaMemcpyToSymbol(table, d + 2, sizeof(table), 0, cudaMemcpyDeviceToDevice);
    cudaGetSymbolAddress((void **)&inside, state);
    weigh<<<1, 32>>>(inside, inside, n);
    mix<<<1, 32>>>(d, n);
    cudaMemcpyFromSymbol(d + 1, state, 2 * sizeof(double), sizeof(double), cudaMemcpyDeviceToDevice);
    cudaMemcpy(w, d, sizeof(w), cudaMemcpyDeviceToHost);
    cudaFree(d);
    return w[0] * w[1] * w[2];
}

// The legacy stream and that of the thread; a launch by the address of a kernel.
double default_streams(const double *x, int n)
{
    size_t bytes = n * sizeof(double);
    double *u, *v, *h, sum = 0;
    cudaMallocAsync((void **)&u, bytes, cudaStreamPerThread);
    cudaMallocAsync((void **)&v, bytes, cudaStreamLegacy);
    cudaMemcpyAsync(u, x, bytes, cudaMemcpyHostToDevice, cudaStreamPerThread);
    cudaMemsetAsync(v, 0, bytes, cudaStreamPerThread);
    void *args[] = {&v, &u, &n};
    cudaFuncSetCacheConfig(weigh, cudaFuncCachePreferL1);
    cudaLaunchKernel((const void *)&weigh, dim3(1), dim3(32), args, 0, cudaStreamPerThread);
    weigh<<<1, 32, 0, cudaStreamLegacy>>>(u, v, n);
    cudaMallocHost((void **)&h, bytes);
    cudaMemcpy(h, u, bytes, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) sum += h[i];
    cudaFreeHost(h);
    cudaFreeAsync(u, 0);
    cudaFreeAsync(v, 0);
    return sum;
}

// Sizes by the occupancy calculator, streams with priorities that wait for each other and are polled.
double polled(const double *x, int n)
{
    size_t bytes = n * sizeof(double), available, total;
    int least, greatest, grid, block;
    double *u, *v, value;
    cudaStream_t first, second;
    cudaEvent_t done;
    cudaMemGetInfo(&available, &total);
    if (available < bytes) return 0;
    cudaDeviceGetStreamPriorityRange(&least, &greatest);
    cudaStreamCreateWithPriority(&first, cudaStreamNonBlocking, greatest);
    cudaStreamCreateWithPriority(&second, cudaStreamNonBlocking, least);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    cudaMalloc(&u, bytes);
    cudaMalloc(&v, bytes);
    cudaMemcpy(u, x, bytes, cudaMemcpyHostToDevice);
    cudaMemset(v, 0, bytes);
    cudaOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, weigh, 0, 0, 0);
    weigh<<<(n + block - 1) / block, block, 0, first>>>(v, u, n);
    cudaEventRecord(done, first);
    cudaStreamWaitEvent(second, done, 0);
    weigh<<<1, 32, 0, second>>>(u, v, n);
    while (cudaStreamQuery(second) == cudaErrorNotReady)
        ;
    cudaMemcpy(&value, u + 3, sizeof(value), cudaMemcpyDeviceToHost);
    cudaEventDestroy(done);
    cudaFree(u);
    cudaFree(v);
    cudaDeviceReset();
    return value * value;
}
