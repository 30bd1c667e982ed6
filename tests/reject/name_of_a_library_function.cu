/*---
function = "f"
wrt = ["x"]
of = ["y"]
help = "give it another name"
---*/
// A function of the program has the name of one by which hetad does what cuBLAS does.
#include <cublas_v2.h>

static __device__ int blas_at(int i, int n)  // expected-error @23: 'blas_at' is a name in hetad's own text of cublas_v2.h
{
    return (i + 1) % n;
}
__global__ void turn(double *y, const double *x, int n)
{
    y[threadIdx.x] = x[blas_at(threadIdx.x, n)];
}
void f(double *y, const double *x, int n)
{
    turn<<<1, n>>>(y, x, n);
}
