/*---
function = "k"
error = "UnsupportedError"
help = "the largest length that occurs"
---*/
__global__ void k(double *y, const double *x, int n)
{
    double a[n];  // expected-error: an array whose length is not a constant
//           ^
    a[0] = x[threadIdx.x];
    y[threadIdx.x] = a[0];
}
