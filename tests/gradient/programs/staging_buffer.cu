/*---
function = "upload_both"
wrt = ["x", "y"]
of = ["z"]
reference = { x = "2 * x * y * adj_z", y = "x**2 * adj_z" }
[inputs]
z = { zeros = [30] }
x = { shape = [30], random = 1 }
y = { shape = [30], random = 2 }
---*/
// One staging buffer on the host, filled twice: the two uploads must not share an adjoint.
#include <stdlib.h>
#include <string.h>

#define N 30

__global__ void combine(double *z, const double *x, const double *y)
{
    int i = threadIdx.x;
    z[i] = x[i] * x[i] * y[i];
}

void upload_both(double *z, const double *x, const double *y)
{
    double *staging = (double *)malloc(N * sizeof(double));
    double *d_x, *d_y, *d_z;
    cudaMalloc((void **)&d_x, N * sizeof(double));
    cudaMalloc((void **)&d_y, N * sizeof(double));
    cudaMalloc((void **)&d_z, N * sizeof(double));
    memcpy(staging, x, N * sizeof(double));
    cudaMemcpy(d_x, staging, N * sizeof(double), cudaMemcpyHostToDevice);
    for (int i = 0; i < N; i++)
        staging[i] = y[i];
    cudaMemcpy(d_y, staging, N * sizeof(double), cudaMemcpyHostToDevice);
    combine<<<1, N>>>(d_z, d_x, d_y);
    cudaMemcpy(staging, d_z, N * sizeof(double), cudaMemcpyDeviceToHost);
    memcpy(z, staging, N * sizeof(double));
    cudaFree(d_x);
    cudaFree(d_y);
    cudaFree(d_z);
    free(staging);
}
