/*---
function = "f"
wrt = ["x"]
of = ["x"]
help = "cudaMemcpy"
---*/
// Only one of the two pointers in the struct on the heap is replaced by one to the device, but the kernel follows both.
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
    struct pair *h = (struct pair *)malloc(sizeof(struct pair));
    double *u;
    h->u = x;
    h->v = (double *)malloc(n * sizeof(double));
    for (int i = 0; i < n; i++)
        h->v[i] = 2 * x[i];
    cudaMalloc((void **)&u, n * sizeof(double));
    cudaMemcpy(u, h->u, n * sizeof(double), cudaMemcpyHostToDevice);
    h->u = u;
    product<<<1, 32>>>(*h, n); // expected-error @25: passed to a kernel as device memory
    cudaMemcpy(x, h->u, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(h->u);
    free(h->v);
    free(h);
}
