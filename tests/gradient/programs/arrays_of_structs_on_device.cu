/*---
function = "sums"
wrt = ["x", "w"]
of = ["y"]
[inputs]
x = { shape = [22], random = 1 }
w = { shape = [2], random = 2 }
y = { zeros = [11] }
n = 11
---*/
// Whole arrays of structs are copied to the device, to memory and to constant memory; their pointers to the host are
// followed by the host alone, those to the device by kernels alone.
#include <stdlib.h>
#include <string.h>

typedef struct {
    double *values, *device;
    double weight;
    int n;
} part;

__constant__ part scaled[2];

__global__ void squares(part *parts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part p = parts[blockIdx.y];
    if (i < p.n)
        p.device[i] = p.device[i] * p.device[i] * p.weight;
}

__global__ void scale(double factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < scaled[blockIdx.y].n)
        scaled[blockIdx.y].device[i] *= scaled[blockIdx.y].weight + factor * scaled[blockIdx.y].device[i];
}

void sums(double *x, double *w, double *y, int n)
{
    part parts[2], *there;
    for (int b = 0; b < 2; b++) {
        part *p = &parts[b];
        p->n = n - b;
        p->weight = w[b];
        p->values = (double *)malloc(n * sizeof(double));
        memcpy(p->values, x + b * n, n * sizeof(double));
        cudaMalloc(&p->device, n * sizeof(double));
        cudaMemcpy(p->device, p->values, n * sizeof(double), cudaMemcpyHostToDevice);
    }
    cudaMalloc(&there, sizeof(parts));
    cudaMemcpy(there, parts, sizeof(parts), cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(scaled, &parts, sizeof(parts));
    squares<<<dim3((n + 3) / 4, 2), 4>>>(there);
    scale<<<dim3((n + 3) / 4, 2), 4>>>(0.3);
    for (int b = 0; b < 2; b++) {
        cudaMemcpy(parts[b].values, parts[b].device, n * sizeof(double), cudaMemcpyDeviceToHost);
        for (int i = 0; i < n; i++)
            y[i] += parts[b].values[i] * (b + 1);
        cudaFree(parts[b].device);
        free(parts[b].values);
    }
    cudaFree(there);
}
