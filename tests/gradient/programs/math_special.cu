/*---
function = "special"
wrt = ["x", "z"]
of = ["y"]
[launch]
grid = 1
block = 24
[inputs]
y = { zeros = [24] }
x = { shape = [24], random_uniform = 1, low = 0.2, high = 0.9 }
z = { shape = [24], random_uniform = 2, low = 1.2, high = 6.0 }

[[cases]]
name = "gamma_and_bessel"

[[cases]]
name = "rounding"
function = "rounding"

[[cases]]
name = "pieces"
function = "pieces"
---*/
// Gamma and Bessel functions; functions that are constant between steps; remainders and the parts of a number.
__global__ void special(double *y, const double *x, const double *z)
{
    int i = threadIdx.x;
    double u = x[i], v = z[i];
    y[i] = tgamma(u + 1.0) * lgamma(v) + j0(v) * y0(u) + j1(u) - y1(v) + jn(2, v) * yn(2, v) + cyl_bessel_i0(u) * u
        + cyl_bessel_i1(v);
}

__global__ void rounding(double *y, const double *x, const double *z)
{
    int i = threadIdx.x;
    double u = x[i], v = z[i];
    double whole = floor(v) + ceil(u) * round(v + 0.1) - trunc(v * 2.0) + rint(v) + nearbyint(u);
    y[i] = whole * u * u + (v - floor(v)) * fabs(u - 0.5) + copysign(v, u - 0.5) * u;
}

__global__ void pieces(double *y, const double *x, const double *z)
{
    int i = threadIdx.x, exponent;
    double u = x[i], v = z[i], whole;
    double rest = fmod(v, u), other = remainder(v, 0.8 + u);
    double mantissa = frexp(v, &exponent);
    double part = modf(v * 1.7, &whole);
    y[i] = rest * u + other * other + mantissa * exponent * v + part * whole + ldexp(u, 3) * scalbn(v, -1)
        + min(u, v) * max(u * u, 0.1) + abs(u - v) + (isnan(u) ? 0.0 : u) + ilogb(v) * u + !signbit(v) * v;
}
