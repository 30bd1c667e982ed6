/*---
function = "k"
wrt = ["x"]
of = ["y"]
error = "UnsupportedError"
---*/
__global__ void k(double *y, const double *x)
{
    y[threadIdx.x] = nextafter(x[threadIdx.x], 2.0);  // expected-error: nextafter
}
