/*---
function = "f"
wrt = ["x"]
of = ["y"]
[launch]
grid = 1
block = 1
---*/
// The bits of an active number, made into a number again.
__global__ void f(double *y, const double *x)
{
    long long bits = __double_as_longlong(x[0]);
    y[0] = __longlong_as_double(bits); // expected-error @12: bits that may be those of an active one
}
