/*---
function = "run"
wrt = ["x", "y", "a"]
of = ["y"]
[inputs]
x = { shape = [37], random_uniform = 1, low = 0.5, high = 1.5 }
y = { shape = [37], random_uniform = 2, low = -1.0, high = 1.0 }
a = 0.7
n = 37
[[cases]]
name = "none"
inputs = { steps = 0 }
[[cases]]
name = "one"
inputs = { steps = 1 }
[[cases]]
name = "some"
inputs = { steps = 5 }
---*/
// A function takes memory of its own where it is given none: freed, it serves the next call, while what was made of it
// is still read.
#include <stdlib.h>

__global__ void wave(double *w, const double *x, double a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        w[i] = a * cos(x[i]) + 0.3 * sin(a);
}

__global__ void add(double *y, const double *w, double a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 0.7 * sin(y[i]) + a * w[i] * w[(i + 1) % n];
}

static void twice(double *out, const double *x, double *given, double a, int n)
{
    double *tmp = given;
    if (!given)
        cudaMalloc((void **)&tmp, n * sizeof(double));
    wave<<<(n + 7) / 8, 8>>>(tmp, x, a, n);
    wave<<<(n + 7) / 8, 8>>>(out, tmp, 0.5, n);
    if (!given)
        cudaFree(tmp);
}

void run(double *y, const double *x, double a, int n, int steps)
{
    double *first, *second;
    cudaMalloc((void **)&first, n * sizeof(double));
    cudaMalloc((void **)&second, n * sizeof(double));
    for (int k = 0; k < steps; k++) {
        twice(first, x, k % 2 ? second : NULL, a + 0.1 * k, n);
        add<<<(n + 7) / 8, 8>>>(y, first, a, n);
        if (k % 2)
            add<<<(n + 7) / 8, 8>>>(y, second, 0.3, n);
        twice(second, first, NULL, a, n);
        add<<<(n + 7) / 8, 8>>>(y, second, 0.1, n);
    }
    cudaFree(first);
    cudaFree(second);
}
