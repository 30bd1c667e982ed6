/*---
function = "k"
error = "UnsupportedError"
---*/
__device__ double total;  // expected-error: total

__global__ void k(double *x)
{
    total = x[0];
    x[1] = total;
}
