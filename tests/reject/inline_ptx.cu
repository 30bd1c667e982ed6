/*---
function = "f"
error = "UnsupportedError"
---*/
__global__ void f(float *y)
{
    float v = y[0];
    asm volatile("ex2.approx.f32 %0, %1;" : "=f"(v) : "f"(v));  // expected-error: inline assembly
//  ^
    y[0] = v;
}
