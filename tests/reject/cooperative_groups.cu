/*---
function = "f"
error = "UnsupportedError"
help = "__syncthreads"
---*/
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void f(float *y)
{
    cg::thread_block block = cg::this_thread_block();  // expected-error: cooperative groups
//  ^
    y[threadIdx.x] *= 2;
    block.sync();
}
