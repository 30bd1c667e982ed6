/*---
function = "k"
error = "UnsupportedError"
help = "measure from the host"
---*/
__global__ void k(double *y, const double *x)
{
    long long start = clock64();  // expected-error: clocks in kernels
//                    ^
    y[threadIdx.x] = x[threadIdx.x] * (start > 0);
}
