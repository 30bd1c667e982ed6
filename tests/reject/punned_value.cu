/*---
function = "k"
error = "UnsupportedError"
help = "integers may be read"
---*/
__global__ void k(float *x)
{
    *(int *)&x[threadIdx.x] |= 1;  // expected-error: a cast of 'float *' to 'int *'
//   ^
}
