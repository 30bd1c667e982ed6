/*---
function = "phases"
wrt = ["x", "w"]
of = ["y"]
[inputs]
x = { shape = [40], random = 1 }
w = { shape = [3], random = 2 }
y = { shape = [40], random = 3 }
n = 40
twice = 1

[[cases]]
name = "twice"

[[cases]]
name = "once"
inputs = { twice = 0 }
---*/
// Memory that is freed before more is allocated, outside loops and in loops that only free: some of its contents are
// needed by the reverse sweep, some are not; pointers to it are swapped, kept in an array, and freed through another name.
#include <stdlib.h>

__global__ void scaled(double *y, const double *x, const double *w, int k, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = w[k] * x[i];
}

__global__ void squares(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += x[i] * x[i];
}

static double *fresh(int n)
{
    double *p;
    cudaMalloc(&p, n * sizeof(double));
    cudaMemset(p, 0, n * sizeof(double));
    return p;
}

static void drop(double **p)
{
    cudaFree(*p);
    *p = NULL;
}

void phases(double *y, const double *x, const double *w, int n, int twice)
{
    int grid = (n + 31) / 32;
    double *dw = fresh(3), *a = fresh(n), *b = fresh(n), *parts[3], *h = (double *)malloc(n * sizeof(double));
    cudaMemcpy(dw, w, 3 * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(a, x, n * sizeof(double), cudaMemcpyHostToDevice);
    scaled<<<grid, 32>>>(b, a, dw, 0, n);
    drop(&a);
    double *c = fresh(n);
    squares<<<grid, 32>>>(c, b, n);
    if (twice) {
        double *d = fresh(n);
        scaled<<<grid, 32>>>(d, c, dw, 1, n);
        drop(&c);
        c = d;
    }
    drop(&b);
    for (int k = 0; k < 3; k++)
        parts[k] = fresh(n - 4 * k);
    for (int k = 0; k < 3; k++)
        squares<<<grid, 32>>>(parts[k], c, n - 4 * k);
    cudaMemcpy(h, parts[2], (n - 8) * sizeof(double), cudaMemcpyDeviceToHost);
    for (int k = 0; k < 3; k++)
        cudaFree(parts[k]);
    double *last = fresh(n);
    cudaMemcpy(last, h, (n - 8) * sizeof(double), cudaMemcpyHostToDevice);
    free(h);
    h = (double *)calloc(n, sizeof(double));
    squares<<<grid, 32>>>(last, c, n);
    drop(&c);
    cudaMemcpy(y, last, n * sizeof(double), cudaMemcpyDeviceToHost);
    y[0] += h[0];
    cudaFree(last);
    cudaFree(dw);
    free(h);
}
