/*---
function = "driver"
wrt = ["sites", "gain"]
of = ["sites", "y"]
[inputs]
sites = { shape = [11], random = 1 }
y = { shape = [11], random = 2 }
gain = 0.7
n = 11
---*/
// Arrays of structs with whole numbers and arrays beside their numbers, copied in every direction, in part, and within
// themselves.
#include <stdlib.h>
#include <string.h>

typedef struct { double at[2]; short kind; } Place;
typedef struct { int id; Place place; double weight; unsigned char seen[3]; } Site;

__global__ void visit(Site *s, double gain, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        s[i].weight *= s[i].place.at[0] + gain * s[i].place.at[1];
        s[i].place.at[i % 2] += s[i].weight * s[i].weight;
        s[i].id += 1;
    }
}

__global__ void weights(double *y, const Site *s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += s[i].weight * s[i].place.at[s[i].id % 2];
}

void driver(Site *sites, double *y, double gain, int n)
{
    size_t bytes = n * sizeof(Site);
    Site *work = (Site *)malloc(bytes), *a, *b;
    double *d_y;
    cudaMalloc((void **)&a, bytes);
    cudaMalloc((void **)&b, bytes + sizeof(Site));
    cudaMalloc((void **)&d_y, n * sizeof(double));
    cudaMemcpy(d_y, y, n * sizeof(double), cudaMemcpyHostToDevice);
    memcpy(work, sites, bytes);
    for (int k = 0; k < n; k++)
        work[k].weight += 1.5 * work[(k + 1) % n].place.at[0];
    memmove(work + 1, work, (n - 2) * sizeof(Site));
    cudaMemcpy(a, work, bytes, cudaMemcpyHostToDevice);
    for (int t = 0; t < 2; t++) {
        visit<<<(n + 3) / 4, 4>>>(a, gain, n);
        cudaMemcpy(b + 1, a, bytes, cudaMemcpyDeviceToDevice);
        visit<<<(n + 3) / 4, 4>>>(b + 1, 0.5 * gain, n);
        cudaMemcpy(a + 2, b + 4, (n - 4) * sizeof(Site), cudaMemcpyDefault);
    }
    weights<<<(n + 3) / 4, 4>>>(d_y, a, n);
    cudaMemcpy(y, d_y, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaMemcpy(sites + 3, a, (n - 3) * sizeof(Site), cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    cudaFree(d_y);
    free(work);
}
