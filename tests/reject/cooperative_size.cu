/*---
function = "f"
error = "UnsupportedError"
---*/
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void f(double *y, const double *x)
{
    auto tile = cg::tiled_partition(cg::this_thread_block(), 32);  // expected-error: tiles whose size the run tells
    //          ^
    y[threadIdx.x] = tile.shfl(x[threadIdx.x], 3);
}
