/*---
function = "smooth"
wrt = ["x"]
of = ["x"]
[inputs]
x = { shape = [19], random = 1 }
n = 19
steps = 3
[[cases]]
[cases.inputs]
steps = 0
---*/
// One pointer leads to the host first and to the device later, also anew in each iteration; another is null between.
#include <stdlib.h>

__global__ void square(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] * x[(i + 1) % n];
}

void smooth(double *x, int n, int steps)
{
    double *p = (double *)malloc(n * sizeof(double)), *q = NULL;
    for (int i = 0; i < n; i++)
        p[i] = x[i] * x[0];
    for (int i = 0; i < n; i++)
        x[i] += p[i];
    free(p);
    p = NULL;
    for (int t = 0; t < steps; t++) {
        q = (double *)malloc(n * sizeof(double));
        for (int i = 0; i < n; i++)
            q[i] = 0.5 * x[i];
        cudaMalloc((void **)&p, n * sizeof(double));
        cudaMemcpy(p, q, n * sizeof(double), cudaMemcpyHostToDevice);
        free(q);
        cudaMalloc((void **)&q, n * sizeof(double));
        square<<<(n + 7) / 8, 8>>>(q, p, n);
        cudaMemcpy(x, q, n * sizeof(double), cudaMemcpyDeviceToHost);
        cudaFree(p);
        cudaFree(q);
    }
}
