/*---
function = "f"
error = "UnsupportedError"
---*/
__device__ void twice(double &x)  // expected-error: reference
{
    x *= 2.0;
}

__global__ void f(double *x)
{
    twice(x[0]);
}
