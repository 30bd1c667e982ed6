/*---
function = "k"
error = "UnsupportedError"
---*/
__global__ void k(int *best, const int *x)
{
    atomicMax(best, x[threadIdx.x]);  // expected-error: atomic
//  ^
}
