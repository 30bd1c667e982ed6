/*---
function = "k"
error = "UnsupportedError"
help = "take a pointer"
---*/
__global__ void k(double *y, const double *x, int n)
{
    double v = x[0], w = 2;
    double &r = n > 3 ? v : w;  // expected-error @17: a reference to what an expression chooses
    r = 3;
    y[threadIdx.x] = v * w;
}
