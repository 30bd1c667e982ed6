/*---
function = "f"
error = "UnsupportedError"
---*/
__global__ void f(float *y)
{
    extern __shared__ float a[];
    extern __shared__ float b[];  // expected-error: the same memory
//                          ^
    a[threadIdx.x] = y[threadIdx.x];
    b[threadIdx.x] *= 2;
    y[threadIdx.x] = a[threadIdx.x];
}
