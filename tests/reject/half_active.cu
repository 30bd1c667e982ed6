/*---
function = "f"
wrt = ["x"]
of = ["y"]
error = "UnsupportedError"
help = "keep what is differentiated in float"
---*/
// An active value that is stored in half precision on its way.
#include <cuda_fp16.h>

__global__ void narrow(half *h, const float *x)
{
    float v = 2 * x[threadIdx.x];
    h[threadIdx.x] = __float2half(v);  // expected-error @22: active data is in half precision
}

__global__ void widen(float *y, const half *h)
{
    y[threadIdx.x] = __half2float(h[threadIdx.x]);
}

void f(float *y, const float *x)
{
    half *h;
    cudaMalloc(&h, 8 * sizeof(half));
    narrow<<<1, 8>>>(h, x);
    widen<<<1, 8>>>(y, h);
    cudaFree(h);
}
