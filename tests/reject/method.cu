/*---
function = "f"
error = "UnsupportedError"
frontend = "c"
---*/
struct Square {
    double a;
    __device__ double operator()(double v) const { return a * v * v; }  // expected-error: a member function
};

__global__ void f(double *y, Square s)
{
    y[0] = s.a * y[0];
}
