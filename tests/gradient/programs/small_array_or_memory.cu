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
name = "all small"
inputs = { steps = 2 }
[[cases]]
name = "some"
inputs = { steps = 8 }
[[cases]]
name = "once"
function = "once"
inputs = { steps = 23 }
[[cases]]
name = "once small"
function = "once"
inputs = { steps = 5 }
---*/
// Few values lie in an array of the function, many in memory, which alone is freed.
#include <math.h>
#include <stdlib.h>

__global__ void wave(double *y, const double *x, double a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 0.7 * sin(y[i]) + a * cos(a * x[i]);
}

void run(double *y, const double *x, double a, int n, int steps)
{
    double small[16];
    for (int k = 0; k < steps; k++) {
        int count = k * 7 % n + 1;
        double *h = count <= 16 ? small : (double *)malloc(count * sizeof(double));
        cudaMemcpy(h, x, count * sizeof(double), cudaMemcpyDeviceToHost);
        double sum = 0;
        for (int i = 0; i < count; i++) {
            h[i] = h[i] * h[i] * a;
            sum += h[i] * h[count - 1 - i];
        }
        if (h != small)
            free(h);
        wave<<<(n + 7) / 8, 8>>>(y, x, 0.1 * sum, n);
    }
}

void once(double *y, const double *x, double a, int n, int steps)
{
    double few[16], *h = few;
    if (steps > 16)
        h = (double *)malloc(steps * sizeof(double));
    for (int k = 0; k < steps; k++)
        h[k] = sin(a * k + (k > 0 ? h[k - 1] * h[k - 1] : 0));
    for (int k = 0; k < steps; k++) {
        wave<<<(n + 7) / 8, 8>>>(y, x, h[k], n);
        h[k] *= h[k];
        if (k % 7 == 0)
            wave<<<(n + 7) / 8, 8>>>(y, x, h[k], n);
    }
    if (h != few)
        free(h);
}
