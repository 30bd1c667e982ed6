/*---
function = "f"
error = "UnsupportedError"
---*/
__global__ void f(float *y)
{
    volatile float *w = y;  // expected-error: volatile
    w[0] *= 2;
}
