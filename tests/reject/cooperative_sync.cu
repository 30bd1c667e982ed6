/*---
function = "f"
error = "UnsupportedError"
help = "__syncthreads"
---*/
#include <cooperative_groups.h>

__global__ void f(float *y)
{
    y[threadIdx.x] *= 2;
    cooperative_groups::this_thread_block().sync();  // expected-error @5: cooperative groups
    y[threadIdx.x] += y[0];
}
