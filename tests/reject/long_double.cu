/*---
function = "f"
wrt = ["x"]
of = ["y"]
error = "UnsupportedError"
---*/
void f(double *y, const double *x)
{
    long double v = x[0];  // expected-error: long double
    y[0] = (double)(v * v);
}
