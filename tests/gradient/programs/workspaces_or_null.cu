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
inputs = { steps = 7 }
[[cases]]
name = "within"
function = "in_stages"
inputs = { steps = 6 }
---*/
// Memory that a step allocates or does without: NULL tells which, to the host, in a sum, in a choice, and to a kernel.
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

__global__ void relax(double *y, const double *w, const double *source, double a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = 0.8 * sin(y[i]) + a * w[i];
        if (source)
            y[i] += source[i] * w[i];
    }
}

void run(double *y, const double *x, double a, int n, int steps)
{
    const int blocks = (n + 7) / 8;
    int used = 0;
    for (int k = 0; k < steps; k++) {
        double *p = NULL, *q = NULL, *r = NULL, *w, *source = NULL;
        cudaMalloc((void **)&w, n * sizeof(double));
        if (k & 1)
            cudaMalloc((void **)&p, n * sizeof(double));
        if (k & 2)
            cudaMalloc((void **)&q, n * sizeof(double));
        if (p && q)
            cudaMalloc((void **)&r, n * sizeof(double));
        used += (p != NULL) + 2 * (q != NULL) + 3 * (r != NULL);
        double *t = r ? r : q ? q : p;
        if (t) {
            wave<<<blocks, 8>>>(t, x, a + 0.1 * used, n);
            add<<<blocks, 8>>>(y, t, a, n);
        }
        if (k % 3 != 1) {
            cudaMalloc((void **)&source, n * sizeof(double));
            wave<<<blocks, 8>>>(source, x, 0.2 * k + a, n);
        }
        wave<<<blocks, 8>>>(w, t ? t : x, a, n);
        relax<<<blocks, 8>>>(y, w, source, a, n);
        if (source)
            cudaFree(source);
        cudaFree(p);
        cudaFree(q);
        cudaFree(r);
        cudaFree(w);
    }
}

static int stage(double *y, const double *x, double a, int n, int k)
{
    const int blocks = (n + 7) / 8;
    double *p = NULL, *q = NULL, *h = NULL;
    int status = 0;
    if (cudaMalloc((void **)&p, n * sizeof(double)) != cudaSuccess) {
        status = 1;
        goto out;
    }
    wave<<<blocks, 8>>>(p, x, a, n);
    if (k % 2) {
        if (cudaMalloc((void **)&q, n * sizeof(double)) != cudaSuccess) {
            status = 2;
            goto out;
        }
        wave<<<blocks, 8>>>(q, p, 0.3, n);
    }
    if (k % 3 == 2) {
        h = (double *)malloc(n * sizeof(double));
        if (!h) {
            status = 3;
            goto out;
        }
        cudaMemcpy(h, q ? q : p, n * sizeof(double), cudaMemcpyDeviceToHost);
        for (int i = 0; i < n; i++)
            h[i] = h[i] * h[i];
        cudaMemcpy(p, h, n * sizeof(double), cudaMemcpyHostToDevice);
    }
    add<<<blocks, 8>>>(y, q ? q : p, a, n);
    add<<<blocks, 8>>>(y, p, 0.2, n);
out:
    free(h);
    cudaFree(q);
    cudaFree(p);
    return status;
}

int in_stages(double *y, const double *x, double a, int n, int steps)
{
    for (int k = 0; k < steps; k++) {
        int status = stage(y, x, a + 0.1 * k, n, k);
        if (status)
            return status;
    }
    return 0;
}
