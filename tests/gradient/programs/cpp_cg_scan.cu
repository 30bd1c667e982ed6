/*---
function = "cumulative"
wrt = ["x"]
of = ["y", "peaks"]
[inputs]
y = { zeros = [96] }
peaks = { zeros = [6] }
x = { shape = [96], random = 1 }
n = 90
---*/
// Scans by tiles of sixteen threads, maxima and votes of a tile, and the block's ranks in two dimensions.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

using namespace cooperative_groups;

__global__ void scan_tiles(double *y, double *peaks, const double *x, int n)
{
    const thread_block block = this_thread_block();
    const auto tile = tiled_partition<16>(block);
    const int i = block.group_index().x * block.num_threads() + block.thread_rank();
    const double v = i < n ? x[i] * x[i] : 0.0;
    const double sum = inclusive_scan(tile, v, plus<double>());
    const double before = exclusive_scan(tile, v * 0.5);
    const double top = reduce(tile, v, greater<double>());
    const bool odd = tile.ballot(v == top) & 0xaaaau;
    const double others = (odd ? 0.25 : 0.75) * tile.shfl(v, 3) + tile.shfl_xor(v, 5) * v;
    if (i < n)
        y[i] = sum * before + others;
    if (tile.thread_rank() == 0)
        peaks[blockIdx.x * tile.meta_group_size() + tile.meta_group_rank()] = top;
    tile.sync();
    if (tile.any(v > 100.0))
        y[i] = 0.0;
}

void cumulative(double *y, double *peaks, const double *x, int n)
{
    double *d_y, *d_p, *d_x;
    cudaMalloc(&d_y, 96 * sizeof(double));
    cudaMalloc(&d_p, 6 * sizeof(double));
    cudaMalloc(&d_x, 96 * sizeof(double));
    cudaMemset(d_y, 0, 96 * sizeof(double));
    cudaMemcpy(d_x, x, 96 * sizeof(double), cudaMemcpyHostToDevice);
    scan_tiles<<<3, dim3(8, 4)>>>(d_y, d_p, d_x, n);
    cudaMemcpy(y, d_y, 96 * sizeof(double), cudaMemcpyDeviceToHost);
    cudaMemcpy(peaks, d_p, 6 * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_y);
    cudaFree(d_p);
    cudaFree(d_x);
}
