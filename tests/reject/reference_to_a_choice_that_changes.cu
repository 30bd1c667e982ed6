/*---
function = "k"
error = "UnsupportedError"
help = "take a pointer"
---*/
__global__ void k(double *y, const double *x, int n)
{
    double v = x[0], w = 2;
    if (n) {
        const double &r = n > 3 ? v : w;  // expected-error: a reference to what an expression chooses, and what changes
//                    ^
        v = 3;
        y[threadIdx.x] = r * w;
    }
}
