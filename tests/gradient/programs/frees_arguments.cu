/*---
function = "driver"
wrt = ["x"]
of = ["y"]
[inputs]
y = { shape = [8], random = 3 }
x = { shape = [8], random = 1 }
work = { shape = [8], random = 2 }
staged = { zeros = [8] }
other = { shape = [8], random = 4 }
n = 8
---*/
// A function that owns what it is given, and frees it: device and host memory, through a helper, and one of two buffers
// that were exchanged.  The caller's memory stays, though what is in it counts no more.
#include <stdlib.h>

__global__ void multiply(double *y, const double *x, int n)
{
    int i = threadIdx.x;
    if (i < n)
        y[i] = y[i] * x[i];
}

static void give_back(double *buffer, double *host)
{
    cudaFree(buffer);
    free((void *)host);
}

void driver(double *y, const double *x, double *work, double *staged, double *other, int n)
{
    double *mine, *held;
    cudaMalloc((void **)&mine, n * sizeof(double));
    cudaMemcpy(mine, x, n * sizeof(double), cudaMemcpyDeviceToDevice);
    for (int k = 0; k < 3; k++) {
        multiply<<<1, 32>>>(work, x, n);
        multiply<<<1, 32>>>(mine, work, n);
        held = mine;
        mine = other;
        other = held;
    }
    cudaMemcpy(staged, work, n * sizeof(double), cudaMemcpyDeviceToHost);
    staged[1] *= staged[2];
    cudaMemcpy(y, staged, n * sizeof(double), cudaMemcpyHostToDevice);
    multiply<<<1, 32>>>(y, mine, n);
    multiply<<<1, 32>>>(y, other, n);
    give_back(work, staged);
    cudaFree(mine);
    cudaFree(other);
}
