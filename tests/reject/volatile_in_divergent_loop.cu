/*---
function = "f"
wrt = ["y"]
of = ["y"]
error = "UnsupportedError"
help = "__syncwarp"
---*/
// Lanes store in a loop that each leaves at another time: what those that have left do meanwhile is not said.
__global__ void f(float *y)
{
    __shared__ volatile float s[64];
    int t = threadIdx.x;
    s[t] = y[t];  // expected-error: active data is volatile
    for (int k = 0; k < t % 3; k++)
        s[t] += s[(t + 16) % 64];
    y[t] = s[t];
}
