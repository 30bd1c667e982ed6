/*---
function = "f"
error = "UnsupportedError"
help = "__shfl_"
---*/
// The common reduction over a tile of 32 threads.
#include <cooperative_groups.h>
using namespace cooperative_groups;

template <typename group> __device__ float total(group g, float v)
{
    for (int i = g.size() / 2; i > 0; i /= 2)
        v += g.shfl_down(v, i);
    return v;
}

__global__ void f(float *y, const float *x)
{
    auto tile = tiled_partition<32>(this_thread_block());  // expected-error @17: cooperative groups
    float v = total(tile, x[threadIdx.x]);
    if (tile.thread_rank() == 0)
        y[0] = v;
}
