/*---
function = "k"
error = "UnsupportedError"
help = "__ballot_sync"
---*/
__global__ void k(double *y, const double *x)
{
    int i = threadIdx.x;
    y[i] = x[i] * __popc(__match_any_sync(0xffffffffu, i % 3));  // expected-error: this warp function
//                       ^
}
