/*---
function = "k"
error = "UnsupportedError"
---*/
__global__ void k(double *x)
{
    x[threadIdx.x] *= 2.0;
    __syncthreads();  // expected-error: barrier
//  ^
    x[threadIdx.x] += 1.0;
}
