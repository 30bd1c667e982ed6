/*---
function = "f"
error = "UnsupportedError"
help = "tiled_partition"
---*/
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void f(float *y)
{
    if (threadIdx.x % 3 == 0) {
        auto active = cg::coalesced_threads();  // expected-error: groups of the threads that come to a place
        //            ^
        y[active.thread_rank()] *= 2;
    }
}
