/*---
function = "f"
error = "UnsupportedError"
help = "round to nearest"
---*/
#include <cuda_fp16.h>

__global__ void f(half *y, const half *x)
{
    y[threadIdx.x] = __hadd_sat(x[threadIdx.x], x[threadIdx.x]);  // expected-error @22: this function of half precision
}
