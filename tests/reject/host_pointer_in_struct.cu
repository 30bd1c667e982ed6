/*---
function = "f"
wrt = ["x"]
of = ["x"]
help = "cudaMemcpy"
---*/
// Only one of the two pointers is replaced by one to the device, but the kernel follows both.
#include <stdlib.h>

struct pair {
    double *u, *v;
};

__global__ void product(struct pair p, int n)
{
    if (threadIdx.x < n)
        p.u[threadIdx.x] *= p.v[threadIdx.x];
}

void f(double *x, int n)
{
    struct pair h = {x, (double *)malloc(n * sizeof(double))}, g = h;
    for (int i = 0; i < n; i++)
        h.v[i] = 2 * x[i];
    cudaMalloc((void **)&g.u, n * sizeof(double));
    cudaMemcpy(g.u, h.u, n * sizeof(double), cudaMemcpyHostToDevice);
    product<<<1, 32>>>(g, n); // expected-error @24: passed to a kernel as device memory
    cudaMemcpy(x, g.u, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(g.u);
    free(h.v);
}
