/*---
function = "f"
wrt = ["y"]
of = ["y"]
error = "UnsupportedError"
help = "__syncwarp"
---*/
__global__ void f(float *y)
{
    volatile float *w = y;
    float v = w[0];  // expected-error @15: active data is volatile
    w[0] = v * 2;
}
