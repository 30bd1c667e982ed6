/*---
function = "f"
error = "UnsupportedError"
help = "convert with __half2float"
---*/
// As nvcc: neither the operator of halves nor that of floats fits better.
#include <cuda_fp16.h>

__global__ void f(half *y, const half *x)
{
    y[threadIdx.x] = x[threadIdx.x] * 2.0f;  // expected-error @22: '*' in half precision
}
