/*---
function = "run"
wrt = ["x"]
of = ["y"]
reference = { x = "(8 * x**7 + 4 * x**3) * adj_y" }
[inputs]
y = { zeros = [21] }
x = { shape = [21], random = 1 }
n = 21
---*/
// Structs and arrays that hold pointers, cleared and copied by memset and memcpy, reached through pointers to their parts,
// and passed to kernels by value.
#include <string.h>

typedef struct {
    double *power[3];
    int n;
} Powers;

typedef struct {
    Powers each[2];
} Both;

__global__ void square(Powers p, int from)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p.n)
        p.power[from + 1][i] = p.power[from][i] * p.power[from][i];
}

__global__ void add(double *y, Both b, const double *extra)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < b.each[0].n)
        y[i] = b.each[1].power[2][i] * b.each[1].power[2][i] + extra[i];
}

void run(double *y, const double *x, int n)
{
    Powers made, copied;
    Both both;
    memset(&made, 0, sizeof made);
    double **slot = made.power;
    for (int k = 0; k < 3; k++)
        cudaMalloc((void **)(slot + k), n * sizeof(double));
    made.n = n;
    cudaMemcpy(slot[0], x, n * sizeof(double), cudaMemcpyHostToDevice);
    memcpy(&copied, &made, sizeof(Powers));
    for (int k = 0; k < 2; k++)
        square<<<(n + 7) / 8, 8>>>(copied, k);
    both.each[0] = copied;
    both.each[1] = made;
    double *d_y, *list[3];
    memcpy(list, copied.power, sizeof(list));
    cudaMalloc(&d_y, n * sizeof(double));
    add<<<(n + 7) / 8, 8>>>(d_y, both, list[2]);
    cudaMemcpy(y, d_y, n * sizeof(double), cudaMemcpyDeviceToHost);
    memset(&copied, 0, sizeof(copied));
    cudaFree(d_y);
    for (int k = 0; k < 3; k++)
        cudaFree(made.power[k]);
}
