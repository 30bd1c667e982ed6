/*---
function = "f"
error = "UnsupportedError"
frontend = "c"
---*/
struct Line {
    double a;
    __device__ double at(double v) const { return a * v; }  // expected-error: a member function
};

__global__ void f(double *y, Line s)
{
    y[0] = s.a * y[0];
}
