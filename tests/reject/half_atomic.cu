/*---
function = "f"
error = "UnsupportedError"
help = "compute in float"
---*/
#include <cuda_fp16.h>

__global__ void f(__half *y, const __half *x)
{
    atomicAdd(y, x[threadIdx.x]);  // expected-error @5: 'atomicAdd' in half precision
}
