/*---
function = "model"
wrt = ["x", "v"]
of = ["y"]
[inputs]
y = { zeros = [100] }
x = { shape = [100], random = 1 }
v = { shape = [100], random = 2 }
alive = { shape = [100], random = 3, low = 0, high = 2 }
n = 100
---*/
// Particles that left are taken out by a prefix sum of what is alive, block by block; then the rest moves on.
#include <cub/block/block_scan.cuh>

template <int THREADS>
__global__ void compact(double *kept_x, double *kept_v, int *count, const double *x, const double *v, const int *alive, int n)
{
    using Scan = cub::BlockScan<int, THREADS>;
    __shared__ typename Scan::TempStorage storage;
    __shared__ int start;
    int i = blockIdx.x * THREADS + threadIdx.x, stays = i < n && alive[i] != 0 ? 1 : 0, place, whole;
    Scan(storage).ExclusiveSum(stays, place, whole);
    if (threadIdx.x == 0) {
        start = 0;
        for (int k = 0; k < blockIdx.x * THREADS; ++k)
            start += alive[k] != 0 ? 1 : 0;
    }
    __syncthreads();
    if (stays) {
        kept_x[start + place] = x[i];
        kept_v[start + place] = v[i];
    }
    if (i == n - 1)
        *count = start + whole;
}
__global__ void push(double *x, double *v, const int *count, double dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < *count) {
        v[i] -= dt * sin(x[i]);
        x[i] += dt * v[i];
    }
}

void model(double *y, const double *x, const double *v, const int *alive, int n)
{
    double *d_x, *d_v, *kept_x, *kept_v;
    int *d_alive, *count;
    cudaMalloc(&d_x, n * sizeof(double));
    cudaMalloc(&d_v, n * sizeof(double));
    cudaMalloc(&kept_x, n * sizeof(double));
    cudaMalloc(&kept_v, n * sizeof(double));
    cudaMalloc(&d_alive, n * sizeof(int));
    cudaMalloc(&count, sizeof(int));
    cudaMemcpy(d_x, x, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_v, v, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_alive, alive, n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(kept_x, 0, n * sizeof(double));
    cudaMemset(kept_v, 0, n * sizeof(double));
    compact<32><<<(n + 31) / 32, 32>>>(kept_x, kept_v, count, d_x, d_v, d_alive, n);
    for (int k = 0; k < 3; ++k)
        push<<<(n + 31) / 32, 32>>>(kept_x, kept_v, count, 0.1);
    cudaMemcpy(y, kept_x, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    cudaFree(d_v);
    cudaFree(kept_x);
    cudaFree(kept_v);
    cudaFree(d_alive);
    cudaFree(count);
}
