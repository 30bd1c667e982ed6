/*---
function = "f"
wrt = ["x"]
of = ["y"]
error = "UnsupportedError"
help = "give it a length that is a constant"
---*/
// The adjoints of halves take more memory than the launch gives.
#include <cuda_fp16.h>

__global__ void reverse(float *y, const float *x)
{
    extern __shared__ half tile[];  // expected-error @28: the dynamic shared memory 'tile' holds active numbers of 16 bits
    tile[threadIdx.x] = __float2half(x[threadIdx.x]);
    __syncthreads();
    y[threadIdx.x] = __half2float(tile[blockDim.x - 1 - threadIdx.x]);
}

void f(float *y, const float *x)
{
    reverse<<<1, 32, 32 * sizeof(half)>>>(y, x);
}
