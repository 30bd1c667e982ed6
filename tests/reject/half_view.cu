/*---
function = "f"
error = "UnsupportedError"
---*/
#include <cuda_fp16.h>

__global__ void f(float *y, const unsigned short *bits)
{
    const half *h = (const half *)bits;  // expected-error @21: a cast of 'const unsigned short *' to 'const __half *'
    y[threadIdx.x] = __half2float(h[threadIdx.x]);
}
