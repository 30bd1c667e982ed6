/*---
function = "f"
wrt = ["x"]
of = ["y"]
error = "UnsupportedError"
help = "copy arrays of one floating type"
---*/
// The bytes of active numbers, copied and read as halves.
#include <cuda_fp16.h>

__global__ void widen(float *y, const half *h)
{
    half v = h[threadIdx.x];
    y[threadIdx.x] = __half2float(v);
}

void f(float *y, const float *x)
{
    half *h;
    cudaMalloc(&h, 8 * sizeof(float));
    cudaMemcpy(h, x, 8 * sizeof(float), cudaMemcpyDeviceToDevice);  // expected-error @5: active data of '__half' and 'float' is copied as bytes
    widen<<<1, 8>>>(y, h);
    cudaFree(h);
}
