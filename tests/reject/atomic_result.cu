/*---
function = "k"
wrt = ["x"]
of = ["total"]
error = "UnsupportedError"
---*/
__global__ void k(double *x, double *total)
{
    double before = atomicAdd(total, x[threadIdx.x]);  // expected-error: its old value is used
    x[threadIdx.x] = before;
}
