/*---
function = "advance"
wrt = ["x", "w"]
of = ["x"]
[inputs]
x = { shape = [23], random = 1 }
w = { shape = [23], random = 2 }
n = 23
tables = 1
[[cases]]
[cases.inputs]
x = { shape = [2], random = 3 }
w = { shape = [2], random = 4 }
n = 2
tables = 1
[[cases]]
[cases.inputs]
tables = 0
---*/
// The device's struct begins as a copy of the host's, then each pointer in it is replaced, some only where there is
// something to replace: what the kernel does not follow may still lead to the host, or nowhere.
#include <stdlib.h>

typedef struct {
    double *state;
    double *weight;
    double *table;
    int n, entries;
} problem;

__global__ void step(problem p, double dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.n)
        return;
    double rate = p.weight[i] * p.state[i];
    if (p.entries > 0)
        rate += p.table[i % p.entries] * p.state[i];
    p.state[i] += dt * rate * p.state[i];
}

static void build_table(problem *p)
{
    for (int i = 0; i < p->entries; i++)
        p->table[i] = p->weight[i] * p->weight[p->n - 1 - i];
}

static problem moved(problem host)
{
    problem on_device = host;
    size_t bytes = host.n * sizeof(double);
    cudaMalloc((void **)&on_device.state, bytes);
    cudaMemcpy(on_device.state, host.state, bytes, cudaMemcpyHostToDevice);
    cudaMalloc((void **)&on_device.weight, bytes);
    cudaMemcpy(on_device.weight, host.weight, bytes, cudaMemcpyHostToDevice);
    if (host.entries > 0) {
        cudaMalloc((void **)&on_device.table, host.entries * sizeof(double));
        cudaMemcpy(on_device.table, host.table, host.entries * sizeof(double), cudaMemcpyHostToDevice);
    }
    return on_device;
}

void advance(double *x, double *w, int n, int tables)
{
    problem host;
    host.n = n;
    host.entries = tables ? n / 2 : 0;
    host.state = (double *)malloc(n * sizeof(double));
    host.weight = w;
    host.table = NULL;
    for (int i = 0; i < n; i++)
        host.state[i] = x[i];
    if (host.entries > 0) {
        host.table = (double *)malloc(host.entries * sizeof(double));
        build_table(&host);
    }
    problem there = moved(host);
    for (int t = 0; t < 3; t++)
        step<<<(n + 7) / 8, 8>>>(there, 0.125);
    cudaMemcpy(x, there.state, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(there.state);
    cudaFree(there.weight);
    if (there.entries > 0) {
        cudaFree(there.table);
        free(host.table);
    }
    free(host.state);
}
