/*---
function = "f"
error = "UnsupportedError"
help = "compute in float"
---*/
#include <cuda_bf16.h>

__global__ void f(nv_bfloat16 *y, const nv_bfloat16 *x)
{
    y[threadIdx.x] = x[threadIdx.x] * x[threadIdx.x];  // expected-error @22: '*' in half precision
}
