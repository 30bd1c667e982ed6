/*---
function = "f"
error = "UnsupportedError"
help = "launch another one"
---*/
#include <cooperative_groups.h>
using namespace cooperative_groups;

__global__ void f(float *y)
{
    grid_group grid = this_grid();
    y[grid.thread_rank()] *= 2;
    grid.sync();  // expected-error: a barrier of the whole grid
//  ^
    y[grid.thread_rank()] += y[0];
}
