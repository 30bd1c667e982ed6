/*---
function = "driver"
wrt = ["x", "w"]
of = ["y"]
[inputs]
y = { zeros = [12] }
x = { shape = [12], random = 1 }
w = { shape = [12], random = 2 }
n = 12
---*/
// Structs whose fields point to constants: in kernels, on the host, in lists, freed through them.
#include <stdlib.h>

typedef struct {
    double *out;
    const double *in, *weights;
    int n;
} Pass;

__global__ void run(Pass pass)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pass.n)
        pass.out[i] += pass.in[i] * pass.in[(i + 1) % pass.n] * pass.weights[i];
}

static const double *squares(const double *x, int n)
{
    double *p = (double *)malloc(n * sizeof(double));
    for (int i = 0; i < n; i++)
        p[i] = x[i] * x[i];
    return p;
}

void driver(double *y, const double *x, const double *w, int n)
{
    size_t bytes = n * sizeof(double);
    double *d[3];
    for (int k = 0; k < 3; k++)
        cudaMalloc(&d[k], bytes);
    cudaMemset(d[0], 0, bytes);
    cudaMemcpy(d[1], x, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d[2], w, bytes, cudaMemcpyHostToDevice);
    Pass pass = {d[0], d[1], d[2], n}, back = {d[1], d[0], d[2], n};
    run<<<2, 8>>>(pass);
    run<<<2, 8>>>(back);
    run<<<2, 8>>>(pass);
    cudaMemcpy(y, pass.out, bytes, cudaMemcpyDeviceToHost);
    double *a = (double *)malloc(bytes);
    for (int i = 0; i < n; i++)
        a[i] = x[i];
    for (int t = 0; t < 3; t++) {
        const double *q = squares(a, n);
        Pass host = {a, q, w, n};
        for (int i = 0; i < n; i++)
            y[i] += host.in[i] * host.out[n - 1 - i] * host.weights[t];
        free((void *)q);
        if (t == 1) {
            free(a);
            a = (double *)malloc(2 * bytes);
            for (int i = 0; i < 2 * n; i++)
                a[i] = 0.5 * x[i % n] * y[i % n];
        }
        double *b = (double *)malloc(bytes), *c = b + 2;
        b[0] = b[1] = 1.0;
        for (int i = 2; i < n; i++)
            c[i - 2] = y[i] * a[i];
        for (int i = 0; i < n; i++)
            y[i] += b[i] * b[0];
        free(c - 2);
    }
    free(a);
    for (int k = 0; k < 3; k++)
        cudaFree(d[k]);
}
