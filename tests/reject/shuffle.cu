/*---
function = "k"
error = "UnsupportedError"
---*/
__global__ void k(double *x)
{
    double v = x[threadIdx.x];
    v += __shfl_down_sync(0xffffffff, v, 1);  // expected-error: shuffle
    x[threadIdx.x] = v;
}
