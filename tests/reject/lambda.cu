/*---
function = "f"
error = "UnsupportedError"
frontend = "c"
help = 'frontend="cpp"'
---*/
__global__ void f(double *y)
{
    auto square = [](double v) { return v * v; };  // expected-error: 'auto' is C++
//  ^
    y[0] = square(y[0]);
}
