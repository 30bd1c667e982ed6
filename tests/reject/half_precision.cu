/*---
function = "f"
error = "UnsupportedError"
---*/
#include <cuda_fp16.h>

__global__ void f(__half *y, const __half *x)  // expected-error: half precision
//                ^
{
    y[threadIdx.x] = __hmul(x[threadIdx.x], x[threadIdx.x]);
}
