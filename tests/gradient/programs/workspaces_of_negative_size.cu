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
inputs = { steps = 4, extra = -2 }
[[cases]]
name = "no step"
inputs = { steps = 1, extra = 0 }
[[cases]]
name = "some"
inputs = { steps = 6, extra = 11 }
---*/
// Memory of so many extra cells, if there are some: where there are not, its size would be negative.
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

void run(double *y, const double *x, double a, int n, int steps, int extra)
{
    int inner = steps - 2;
    for (int k = 0; k < steps; k++) {
        double *h = NULL, sum = a;
        if (extra > 0)
            h = (double *)malloc(extra * sizeof(double));
        if (h) {
            cudaMemcpy(h, x, extra * sizeof(double), cudaMemcpyDeviceToHost);
            for (int i = 0; i < extra; i++)
                sum += 0.1 * h[i] * h[i] * a;
        }
        if (extra > 0 && k % 2) {
            double *w;
            cudaMalloc((void **)&w, extra * sizeof(double));
            wave<<<(extra + 7) / 8, 8>>>(w, x, sum, extra);
            add<<<(extra + 7) / 8, 8>>>(y, w, a, extra);
            cudaFree(w);
        }
        if (extra - 1 > 0) {
            double *w;
            cudaMalloc((void **)&w, (extra - 1) * sizeof(double));
            wave<<<(extra + 6) / 8, 8>>>(w, y, a, extra - 1);
            add<<<(extra + 6) / 8, 8>>>(y, w, sum, extra - 1);
            cudaFree(w);
        }
        free(h);
    }
    for (int k = 1; k < steps - 1; k++) {
        double *w;
        cudaMalloc((void **)&w, inner * sizeof(double));
        wave<<<(inner + 7) / 8, 8>>>(w, x, a + 0.1 * k, inner);
        add<<<(inner + 7) / 8, 8>>>(y, w, a, inner);
        cudaFree(w);
    }
}
