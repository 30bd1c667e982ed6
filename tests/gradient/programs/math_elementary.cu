/*---
function = "trigonometric"
wrt = ["x", "z"]
of = ["y"]
[launch]
grid = 2
block = 16
[inputs]
y = { zeros = [28] }
x = { shape = [28], random_uniform = 1, low = 0.15, high = 0.85 }
z = { shape = [28], random_uniform = 2, low = 1.2, high = 3.0 }
n = 28

[[cases]]
name = "trigonometric"

[[cases]]
name = "exponential"
function = "exponential"

[[cases]]
name = "roots_and_powers"
function = "roots_and_powers"
---*/
// Elementary functions, many in one expression: x within (0, 1), z above 1.
__global__ void trigonometric(double *y, const double *x, const double *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double u = x[i], v = z[i], s, c, sp, cp;
    sincos(u * v, &s, &c);
    sincospi(u, &sp, &cp);
    double circle = sin(u) * cos(v) + tan(u) + asin(u) * acos(u) + atan(v) + atan2(u, v) + sinpi(u) * cospi(v);
    double hyperbola = sinh(u) + cosh(u) * tanh(v) + asinh(v) + acosh(v) * atanh(u);
    y[i] = circle * hyperbola + s * c + sp / (2.0 + cp);
}

__global__ void exponential(double *y, const double *x, const double *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double u = x[i], v = z[i];
    double rise = exp(u) + exp2(u) * exp10(-v) + expm1(u * v);
    double fall = log(v) + log2(v) * log10(v) + log1p(u) + logb(v);
    y[i] = rise * fall + erf(u) * erfc(v) + erfcx(u) + normcdf(u) - normcdfinv(u) + erfinv(u) * erfcinv(v - 1.1);
}

__global__ void roots_and_powers(double *y, const double *x, const double *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double u = x[i], v = z[i];
    double roots = sqrt(u) * cbrt(v) + rsqrt(v) + rcbrt(u);
    double powers = pow(u, v) + pow(v, 3.0) + pow(2.0, u) + v * v * v;
    double norms = hypot(u, v) + rhypot(u, v) * norm3d(u, v, 1.0) + norm4d(u, u, v, v) + rnorm3d(u, v, u * v);
    y[i] = roots * powers + norms + fma(u, v, roots) + fdim(v, u) * fmax(u, 0.5) - fmin(u, v);
}
