/*---
function = "convert"
wrt = ["x", "f"]
of = ["y", "g"]
[launch]
grid = 1
block = 25
[inputs]
y = { zeros = [25] }
g = { zeros = [25] }
x = { shape = [25], random = 1 }
f = { shape = [25], random = 2 }
---*/
// float and double change into each other and keep the derivative; bits and whole numbers end it.
__global__ void convert(double *y, float *g, const double *x, const float *f)
{
    int t = threadIdx.x;
    float narrow = (float)(x[t] * x[t]);
    double wide = f[t] * 1.5f;
    int cell = (int)floorf(f[t] * 4.0f);
    long long bits = __double_as_longlong(x[t]);
    int sign = (int)((bits >> 63) & 1);
    unsigned float_bits = __float_as_uint(f[t]);
    double one = __longlong_as_double(0x3ff0000000000000LL);
    y[t] = narrow * wide + one * x[t] * (sign ? -2.0 : 1.0) + cell * wide;
    g[t] = (float)(wide * x[t]) + (float)(float_bits >> 31) * f[t] + narrow * (float)(double)f[t];
}
