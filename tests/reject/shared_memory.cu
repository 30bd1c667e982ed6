/*---
function = "k"
error = "UnsupportedError"
---*/
__global__ void k(double *x)
{
    __shared__ double tile[32];  // expected-error: shared memory
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = tile[31 - threadIdx.x];
}
