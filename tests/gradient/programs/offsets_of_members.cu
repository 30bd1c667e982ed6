/*---
function = "apply"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [6] }
x = { shape = [6], random = 1 }
n = 6
---*/
// `offsetof`: of a member, of an element of one, of a member of a member; as the length of an array, too.
#include <stddef.h>

struct inner {
    char kind;
    double at[2];
};

struct outer {
    int name;
    struct inner parts[2];
    float last;
};

__global__ void scaled(double *y, const double *x, double factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = factor * x[i] * x[i];
}

void apply(double *y, const double *x, int n)
{
    char room[offsetof(struct outer, last)];
    const int second = 1;
    size_t places[3] = {offsetof(struct outer, parts), offsetof(struct outer, parts[second].at[1]),
                        offsetof(struct inner, at)};
    double factor = places[0] + 0.1 * places[1] + 0.01 * places[2] + 0.001 * sizeof(room), *dx, *dy;
    cudaMalloc(&dx, n * sizeof(double));
    cudaMalloc(&dy, n * sizeof(double));
    cudaMemcpy(dx, x, n * sizeof(double), cudaMemcpyHostToDevice);
    scaled<<<1, 32>>>(dy, dx, factor, n);
    cudaMemcpy(y, dy, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(dx);
    cudaFree(dy);
}
