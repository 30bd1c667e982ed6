/*---
function = "single"
wrt = ["x", "z"]
of = ["y"]
[launch]
grid = 1
block = 24
[inputs]
y = { zeros = [24] }
x = { shape = [24], random_uniform = 1, low = 0.2, high = 0.9 }
z = { shape = [24], random_uniform = 2, low = 1.2, high = 3.0 }

[[cases]]
name = "single"

[[cases]]
name = "fast"
function = "fast"

[[cases]]
name = "overloads"
function = "overloads"
---*/
// The same in single precision: the functions with f, the fast intrinsics, overloads, rounded arithmetic.
__global__ void single(float *y, const float *x, const float *z)
{
    int i = threadIdx.x;
    float u = x[i], v = z[i], s, c;
    sincosf(u + v, &s, &c);
    float sum = sinf(u) + cosf(v) * tanhf(u) + expf(-v) * logf(v) + powf(v, u) + sqrtf(u) * rsqrtf(v) + cbrtf(v);
    y[i] = sum + s * c + erff(u) * erfcf(v) + atan2f(u, v) + hypotf(u, v) + fmaf(u, v, s) + fminf(u, v) * fabsf(u - v)
        + fmodf(v + 18.0f, 7.5f + 0.1f * u) * fdimf(v, u) + log1pf(u) * expm1f(u) + floorf(0.3f * v + 2.0f) * u + truncf(0.3f * v) * v - sinpif(u) + exp10f(u);
}

__global__ void fast(float *y, const float *x, const float *z)
{
    int i = threadIdx.x;
    float u = x[i], v = z[i], s, c;
    __sincosf(u, &s, &c);
    float a = __fmaf_rn(u, v, s) + __fadd_rn(u, v) * __fmul_rn(u, c) - __fsub_rn(v, u);
    float b = __fdividef(u, v) + __frcp_rn(v) + __fsqrt_rn(u) + __frsqrt_rn(v) + __fdiv_rn(v, u);
    y[i] = a * b + __expf(u) * __logf(v) + __sinf(u) * __cosf(v) + __powf(v, u) + __saturatef(u) + __tanf(u)
        + __log2f(v) * __exp10f(u) + __log10f(v);
}

__global__ void overloads(float *y, const float *x, const float *z)
{
    int i = threadIdx.x;
    float u = x[i], v = z[i];
    y[i] = sin(u) * exp(v) + sqrt(v) * pow(v, 2) + fmax(u, 0.4f) + max(u, v) * min(v, 2.0f) + fabs(u - 0.5f) + abs(-v)
        + pow(u, v) + log(v) / 2 + min(i, 7) * u + max(3, i) * v;
}
