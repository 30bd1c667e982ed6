/*---
function = "iterate"
wrt = ["a"]
of = ["y"]
[inputs]
y = { zeros = [30] }
a = { shape = [30], random_uniform = 1, low = 0.2, high = 3.0 }
n = 30

[[cases]]
name = "fixed_point"

[[cases]]
name = "kepler"
function = "kepler"

[[cases]]
name = "nested"
function = "nested"
---*/
// Trip counts that depend on active values, each in a while or do loop; a loop inside another, both data-dependent.
__global__ void iterate_kernel(double *y, const double *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double v = 0.5, old;
    do {
        old = v;
        v = 0.3 * cos(a[i] * v) + 0.1 * a[i];
    } while (fabs(v - old) > 1e-13);
    y[i] = v;
}

void iterate(double *y, const double *a, int n)
{
    iterate_kernel<<<(n + 15) / 16, 16>>>(y, a, n);
}

__device__ double anomaly(double mean, double eccentricity)
{
    double e = mean, step = 1.0;
    int count = 0;
    while (fabs(step) > 1e-13 && count < 50) {
        step = (e - eccentricity * sin(e) - mean) / (1.0 - eccentricity * cos(e));
        e -= step;
        count++;
    }
    return e;
}

__global__ void kepler_kernel(double *y, const double *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = anomaly(a[i], 0.25 * a[(i + 1) % n]);
}

void kepler(double *y, const double *a, int n)
{
    kepler_kernel<<<(n + 15) / 16, 16>>>(y, a, n);
}

__global__ void nested_kernel(double *y, const double *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double v = a[i], sum = 0.0;
    int outer = 0;
    while (v > 0.3) {
        double w = v;
        for (int k = 0; w > 0.5; k++) {
            if (k == 6)
                break;
            if ((k + outer) % 3 == 1) {
                w *= 0.7;
                continue;
            }
            w = w * 0.8 - 0.01 * w * w;
            sum += w * v;
        }
        v = v * 0.6 + 0.02 * w;
        outer++;
    }
    y[i] = sum * v + outer * v;
}

void nested(double *y, const double *a, int n)
{
    nested_kernel<<<(n + 15) / 16, 16>>>(y, a, n);
}
