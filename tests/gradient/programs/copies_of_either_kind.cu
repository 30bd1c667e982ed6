/*---
function = "run"
wrt = ["x", "w"]
of = ["y"]
[inputs]
y = { zeros = [37] }
x = { shape = [37], random = 1 }
w = { shape = [37], random = 2 }
n = 37
[[cases]]
name = "device"
inputs = { there = 1 }
[[cases]]
name = "host"
inputs = { there = 0 }
---*/
// Copies and fills whose ends lie on one side or the other, as a number says.
#include <stdlib.h>
#include <string.h>

__global__ void scale(double *y, const double *x, const double *w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = sin(x[i]) * w[i] + y[i];
}

static void move(double *to, const double *from, int n, cudaMemcpyKind kind)
{
    cudaMemcpy(to, from, n * sizeof(double), kind);
}

void run(const double *x, const double *w, double *y, int n, int there)
{
    double *dx, *dw, *dy, *far;
    double *near = (double *)malloc(n * sizeof(double));
    cudaMalloc(&dx, n * sizeof(double));
    cudaMalloc(&dw, n * sizeof(double));
    cudaMalloc(&dy, n * sizeof(double));
    cudaMalloc(&far, n * sizeof(double));
    double *held = there ? far : near;
    move(dw, w, n, cudaMemcpyHostToDevice);
    move(held, x, n, there ? cudaMemcpyHostToDevice : cudaMemcpyHostToHost);
    cudaMemcpy(dx, held, n * sizeof(double), cudaMemcpyDefault);
    if (there)
        cudaMemset(held, 0, n / 2 * sizeof(double));
    else
        memset(held, 0, n / 2 * sizeof(double));
    cudaMemcpy(dy, held, n * sizeof(double), cudaMemcpyDefault);
    scale<<<(n + 15) / 16, 16>>>(dy, dx, dw, n);
    cudaMemcpy(held, dy, n * sizeof(double), cudaMemcpyDefault);
    cudaMemcpy(y, held, n * sizeof(double), there ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost);
    cudaFree(far);
    cudaFree(dy);
    cudaFree(dw);
    cudaFree(dx);
    free(near);
}
