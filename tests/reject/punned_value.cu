/*---
function = "k"
error = "UnsupportedError"
---*/
__global__ void k(float *x)
{
    int bits = *(int *)&x[threadIdx.x];  // expected-error: cast
    x[threadIdx.x] = bits > 0 ? 1.0f : 0.0f;
}
