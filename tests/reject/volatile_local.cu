/*---
function = "f"
wrt = ["x"]
of = ["y"]
help = "remove volatile"
---*/
__global__ void f(double *y, const double *x)
{
    volatile double exact = x[threadIdx.x] * 3.0;  // expected-error @21: active data is volatile
    y[threadIdx.x] = exact * x[threadIdx.x];
}
