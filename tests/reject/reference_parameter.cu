/*---
function = "f"
error = "UnsupportedError"
help = "by value"
---*/
__global__ void k(double *x, const int &n)  // expected-error: a reference parameter of a kernel
//                                      ^
{
    x[0] *= n;
}

void f(double *x, int n)
{
    k<<<1, 1>>>(x, n);
}
