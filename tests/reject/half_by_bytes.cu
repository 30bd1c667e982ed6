/*---
function = "f"
wrt = ["x"]
of = ["y"]
error = "UnsupportedError"
help = "keep what is differentiated in float"
---*/
// The bytes of active numbers, copied and read as halves.
#include <cuda_fp16.h>

__global__ void widen(float *y, const half *h)
{
    half v = h[threadIdx.x];
    y[threadIdx.x] = __half2float(v);  // expected-error @22: active data is in half precision
}

void f(float *y, const float *x)
{
    half *h;
    cudaMalloc(&h, 8 * sizeof(float));
    cudaMemcpy(h, x, 8 * sizeof(float), cudaMemcpyDeviceToDevice);
    widen<<<1, 8>>>(y, h);
    cudaFree(h);
}
