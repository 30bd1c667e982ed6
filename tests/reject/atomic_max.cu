/*---
function = "k"
wrt = ["x"]
of = ["best"]
error = "UnsupportedError"
---*/
__global__ void k(double *best, const double *x)
{
    atomicMax((unsigned long long *)best, (unsigned long long)x[threadIdx.x]);  // expected-error: a cast of 'double *'
//            ^
}
