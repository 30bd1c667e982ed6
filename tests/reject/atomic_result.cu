/*---
function = "k"
error = "UnsupportedError"
---*/
__global__ void k(double *x, double *total)
{
    double before = atomicAdd(total, x[threadIdx.x]);  // expected-error: atomicAdd
    x[threadIdx.x] = before;
}
