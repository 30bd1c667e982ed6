/*---
function = "f"
wrt = ["x"]
of = ["y"]
graph = true
error = "UnsupportedError"
help = "without graph=True"
---*/
#include <mpi.h>

__global__ void k(double *y, const double *x, int n)
{
    int i = threadIdx.x;
    if (i < n) y[i] = x[i] * x[i];
}

void f(double *y, const double *x, int n)
{
    k<<<1, 32>>>(y, x, n);
    MPI_Barrier(MPI_COMM_WORLD);  // expected-error: graph=True: other ranks wait here
}
