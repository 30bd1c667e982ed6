/*---
function = "f"
wrt = ["x"]
of = ["x"]
help = "cudaMemcpy"
---*/
// Host code that reads a struct in device memory.
struct grid {
    double *u;
    int n;
};

__global__ void square(struct grid *g)
{
    if (threadIdx.x < g->n)
        g->u[threadIdx.x] *= g->u[threadIdx.x];
}

void f(double *x, int n)
{
    struct grid h = {x, n}, *g;
    cudaMalloc((void **)&g, sizeof(struct grid));
    cudaMemcpy(g, &h, sizeof(struct grid), cudaMemcpyHostToDevice);
    square<<<1, g->n>>>(g); // expected-error @17: read or written by host code
    cudaFree(g);
}
