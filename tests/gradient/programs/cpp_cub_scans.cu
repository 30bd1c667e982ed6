/*---
function = "model"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [150] }
x = { shape = [150], random_uniform = 1, low = 0.5, high = 1.5 }
n = 150
---*/
// Scans of blocks and warps by cub, of one element for each thread and of several.
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_scan.cuh>

template <int THREADS> __global__ void scans(double *y, const double *x, int n)
{
    using Scan = cub::BlockScan<double, THREADS>;
    using OfWarp = cub::WarpScan<double>;
    __shared__ typename Scan::TempStorage storage;
    __shared__ typename OfWarp::TempStorage of_warps[THREADS / 32];
    int i = blockIdx.x * THREADS + threadIdx.x;
    double v = i < n ? x[i] : 0.0, before, through, whole;
    Scan(storage).ExclusiveSum(v * v, before, whole);
    __syncthreads();
    Scan(storage).InclusiveScan(v, through, cub::Max());
    double in_warp, of_warp;
    OfWarp(of_warps[threadIdx.x / 32]).InclusiveSum(v * before, in_warp, of_warp);
    double items[2] = {v, before}, sums[2];
    __syncthreads();
    Scan(storage).InclusiveSum(items, sums);
    if (i < n)
        y[i] = before * through + in_warp * whole + of_warp * sums[0] + sums[1];
}

void model(double *y, const double *x, int n)
{
    double *d_x, *d_y;
    cudaMalloc(&d_x, n * sizeof(double));
    cudaMalloc(&d_y, n * sizeof(double));
    cudaMemcpy(d_x, x, n * sizeof(double), cudaMemcpyHostToDevice);
    scans<64><<<(n + 63) / 64, 64>>>(d_y, d_x, n);
    cudaMemcpy(y, d_y, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    cudaFree(d_y);
}
