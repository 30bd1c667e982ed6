/*---
function = "norms"
wrt = ["x", "p"]
of = ["result"]
[inputs]
result = { zeros = [2] }
x = { shape = [150], random = 5 }
p = 0.4
n = 150
---*/
// Sums by cooperative groups, as in the CUDA samples: tiles of a warp, their shuffles, reduce, and the block's barrier.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

template <int TileSize> __device__ double tile_sum(cg::thread_block_tile<TileSize> tile, double value)
{
    for (int offset = tile.size() / 2; offset > 0; offset /= 2)
        value += tile.shfl_down(value, offset);
    return value;
}

__global__ void sum_squares(double *result, const double *x, double p, int n)
{
    __shared__ double partial[2];
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    double mine = 0.0;
    for (int i = block.group_index().x * block.size() + block.thread_rank(); i < n; i += gridDim.x * block.size())
        mine += exp(p * x[i]) * x[i];
    const double sum = tile_sum<32>(tile, mine);
    if (tile.thread_rank() == 0)
        partial[tile.meta_group_rank()] = sum;
    block.sync();
    if (block.thread_rank() == 0)
        atomicAdd(&result[0], partial[0] + partial[1]);
}

__global__ void sum_quarters(double *result, const double *x, double p, int n)
{
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double v = i < n ? x[i] * x[i] * p : 0.0;
    v = cg::reduce(tile, v, cg::plus<double>());
    cg::sync(block);
    if (tile.thread_rank() == 0)
        atomicAdd(result + 1, v * v);
}

void norms(double *result, const double *x, double p, int n)
{
    double *d_x, *d_result;
    cudaMalloc((void **)&d_x, n * sizeof(double));
    cudaMalloc((void **)&d_result, 2 * sizeof(double));
    cudaMemcpy(d_x, x, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemset(d_result, 0, 2 * sizeof(double));
    sum_squares<<<2, 64>>>(d_result, d_x, p, n);
    sum_quarters<<<3, 64>>>(d_result, d_x, p, n);
    cudaMemcpy(result, d_result, 2 * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    cudaFree(d_result);
}
