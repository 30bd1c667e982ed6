/*---
function = "driver"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [19] }
x = { shape = [19], random = 1 }
n = 19
steps = 4

[[cases]]
name = "four"
[[cases]]
name = "one"
inputs = { steps = 1 }
[[cases]]
name = "none"
inputs = { steps = 0 }
---*/
// Memory that is allocated and freed again and again: by functions of their own, in structs and lists, in another order,
// of other sizes, under conditions, after a swap.
#include <stdlib.h>

typedef struct {
    double *u, *v;
    int n;
} Grid;

__global__ void step(double *v, const double *u, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] = u[i] * u[(i + 1) % n];
}

__global__ void add(double *v, const double *u, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] += u[i] * v[i];
}

static Grid *new_grid(int n)
{
    Grid *g = (Grid *)malloc(sizeof(Grid));
    g->n = n;
    cudaMalloc((void **)&g->u, n * sizeof(double));
    cudaMalloc((void **)&g->v, n * sizeof(double));
    return g;
}

static void delete_grid(Grid *g)
{
    cudaFree(g->u);
    cudaFree(g->v);
    free(g);
}

static void advance(Grid *g, int times)
{
    for (int k = 0; k < times; k++) {
        step<<<(g->n + 7) / 8, 8>>>(g->v, g->u, g->n);
        double *swapped = g->u;
        g->u = g->v;
        g->v = swapped;
    }
}

void driver(double *y, const double *x, int n, int steps)
{
    size_t bytes = n * sizeof(double);
    double *state, *sum = NULL;
    cudaMalloc(&state, bytes);
    cudaMemcpy(state, x, bytes, cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; t++) {
        Grid *g = new_grid(n);
        cudaMemcpy(g->u, state, bytes, cudaMemcpyDeviceToDevice);
        advance(g, t + 1);
        add<<<(n + 7) / 8, 8>>>(state, g->u, n);
        delete_grid(g);

        // shrinking and growing, in host memory
        int m = t % 2 == 0 ? n - t : t + 2;
        double *host = (double *)malloc(m * sizeof(double)), *other = (double *)calloc(m, sizeof(double));
        cudaMemcpy(host, state, m * sizeof(double), cudaMemcpyDeviceToHost);
        for (int i = 0; i < m; i++)
            other[i] += host[i] * host[m - 1 - i];
        double *swapped = host;
        host = other;
        other = swapped;
        free(other);
        cudaMemcpy(state, host, m * sizeof(double), cudaMemcpyHostToDevice);
        if (t % 3 != 1) {
            free(host);
            host = NULL;
        }
        free(host);

        // a list of buffers, freed from its start
        double **parts = (double **)malloc(3 * sizeof(double *));
        for (int k = 0; k < 3; k++) {
            cudaMalloc(&parts[k], bytes);
            step<<<(n + 7) / 8, 8>>>(parts[k], k == 0 ? state : parts[k - 1], n);
        }
        add<<<(n + 7) / 8, 8>>>(state, parts[2], n);
        for (int k = 0; k < 3; k++)
            cudaFree(parts[k]);
        free(parts);

        // one that lives until the next step
        double *next;
        cudaMalloc(&next, bytes);
        step<<<(n + 7) / 8, 8>>>(next, state, n);
        if (sum != NULL) {
            add<<<(n + 7) / 8, 8>>>(next, sum, n);
            cudaFree(sum);
        }
        sum = next;
    }
    cudaMemcpy(y, state, bytes, cudaMemcpyDeviceToHost);
    if (sum != NULL) {
        add<<<(n + 7) / 8, 8>>>(state, sum, n);
        cudaMemcpy(y + 1, state, bytes - sizeof(double), cudaMemcpyDeviceToHost);
    }
    cudaFree(sum);
    cudaFree(state);
}
