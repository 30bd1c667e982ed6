/*---
function = "run"
wrt = ["u", "v", "c"]
of = ["x", "y", "z"]
[inputs]
u = { shape = [61], random = 1 }
v = { shape = [61], random = 2 }
x = { shape = [61], random = 3 }
y = { shape = [61], random = 4 }
z = { shape = [61], random = 5 }
c = 0.7
n = 61

[[cases]]
name = "several blocks"

[[cases]]
name = "nothing"
inputs = { n = 0 }
---*/
// Neighbours' values pass through the same local variables one after the other, so that what is added to the adjoint of
// one array is another number by the time that of the other array is known.
#include <math.h>

__global__ void one_array(double *x, const double *u, double c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) {
        double s = u[i - 1];
        double w = sin(c * s);
        s = u[i] * w;
        w = s * u[i + 1];
        s = u[i + 1] + w * w;
        x[i] = w * s * s;
    }
}

__global__ void two_arrays(double *y, const double *u, const double *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) {
        double s = v[i - 1];
        double w = sin(s);
        s = u[i - 1] * w;
        w = s * v[i + 1];
        s = u[i + 1];
        y[i] = w * s * s;
    }
}

// What is shared with the first array is complete only after the second one has been added to.
__global__ void in_between(double *z, const double *u, const double *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= 0 || i >= n - 1)
        return;
    double t = u[i - 1] * v[i + 1];
    double w = sin(t);
    t = v[i - 1] * u[i + 1];
    w += t * t;
    t = cos(w) * u[i - 1];
    z[i] = w * t + t * t * v[i - 1];
}

void run(double *x, double *y, double *z, const double *u, const double *v, double c, int n)
{
    if (n == 0)
        return;
    one_array<<<(n + 15) / 16, 16>>>(x, u, c, n);
    two_arrays<<<(n + 15) / 16, 16>>>(y, u, v, n);
    in_between<<<(n + 15) / 16, 16>>>(z, v, u, n);
    in_between<<<(n + 15) / 16, 16>>>(x, u, z, n);
}
