/*---
function = "f"
wrt = ["y"]
of = ["y"]
error = "UnsupportedError"
help = "__syncwarp"
---*/
// Half a warp comes to the store: what the other half does meanwhile is not said.
__global__ void f(float *y)
{
    __shared__ volatile float s[64];
    int t = threadIdx.x;
    s[t] = y[t];  // expected-error: active data is volatile
    if (t < 16)
        s[t] += s[t + 16];
    y[t] = s[t];
}
