/*---
function = "evaluate"
wrt = ["x", "p"]
of = ["y"]
[inputs]
y = { zeros = [24] }
x = { shape = [24], random_uniform = 1, low = 0.2, high = 1.8 }
p = { shape = [3], random_uniform = 2, low = 0.5, high = 1.5 }
n = 24
mode = 1

[[cases]]
name = "one"

[[cases]]
name = "two"
inputs = { mode = 2 }
---*/
// Functions that tables and conditions choose, on the device and on the host.
typedef double (*Model)(double, const double *);

__device__ double power(double x, const double *p) { return p[0] * x * x * x; }
__device__ double decay(double x, const double *p) { return exp(-p[1] * x); }
__device__ double wave(double x, const double *p) { return sin(p[2] * x) * p[0]; }
__device__ const Model models[3] = {power, decay, &wave};

__host__ double sooner(double v, double by) { return v * by; }
__host__ double later(double v, double by) { return v / by + by; }
static void doubled(double *v) { *v *= 2; }
static void squared(double *v) { *v *= *v; }

__global__ void apply(double *y, const double *x, const double *p, double scale, int n, int mode)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const int which = (i + mode) % 3;
    const Model local[] = {decay, wave};
    double v = models[which](x[i], p) + (i % 2 ? power : decay)(x[i], p) * scale;
    for (int k = 0; k < 2; ++k)
        v += local[k](v, p);
    y[i] = v * (*models[1])(x[i] * 0.5, p);
}

void evaluate(double *y, const double *x, const double *p, int n, int mode)
{
    static double (*const factors[2])(double, double) = {sooner, later};
    double scale = 0.75;
    scale = factors[mode - 1](scale, 1.25);
    (mode == 1 ? doubled : squared)(&scale);
    apply<<<(n + 7) / 8, 8>>>(y, x, p, scale, n, mode);
}
