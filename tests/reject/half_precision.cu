/*---
function = "f"
error = "UnsupportedError"
help = "compute in float"
---*/
#include <cuda_fp16.h>

__global__ void f(__half *y, const __half *x)
{
    y[threadIdx.x] = __hmul(x[threadIdx.x], x[threadIdx.x]);  // expected-error @22: half precision
}
