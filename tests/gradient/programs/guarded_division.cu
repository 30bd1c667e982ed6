/*---
wrt = ["x"]
of = ["y"]
[launch]
grid = 1
block = 8
[inputs]
y = { zeros = [6] }
x = { shape = [6], random_uniform = 1, low = 0.3, high = 1.7 }
d = { values = [1.0, 0.0, 2.0, 0.0, 0.8, 0.0] }
n = 6

[[cases]]
name = "quotient"
function = "quotient"

[[cases]]
name = "reciprocal"
function = "reciprocal"

[[cases]]
name = "squared"
function = "squared"
---*/
// A quotient that is infinite where nobody uses it: a zero adjoint stays zero (docs/math.md, "Poles").
__global__ void quotient(double *y, const double *x, const double *d, int n)
{
    int i = threadIdx.x;
    if (i >= n)
        return;
    double q = x[i] / d[i];
    y[i] = d[i] > 0.5 ? q : x[i] * 2;
}

__global__ void reciprocal(double *y, const double *x, const double *d, int n)
{
    int i = threadIdx.x;
    if (i >= n)
        return;
    double r = sqrt(x[i] * d[i]);
    double inverse = 1.0 / r;
    if (d[i] > 0.5)
        y[i] = inverse * inverse;
    else
        y[i] = 3 * x[i];
}

// Its adjoint and the tangent of that are zero, too: second derivatives.
__global__ void squared(double *y, const double *x, const double *d, int n)
{
    int i = threadIdx.x;
    if (i >= n)
        return;
    double q = sin(x[i]) / d[i];
    y[i] = d[i] > 0.5 ? q * q : x[i] * x[i];
}
