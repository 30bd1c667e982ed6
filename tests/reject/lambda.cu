/*---
function = "f"
error = "UnsupportedError"
frontend = "c"
---*/
__global__ void f(double *y)
{
    auto square = [](double v) { return v * v; };  // expected-error: a lambda
//                ^
    y[0] = square(y[0]);
}
