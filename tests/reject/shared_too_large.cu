/*---
function = "f"
wrt = ["x"]
of = ["y"]
help = "extern __shared__"
---*/
// Twice the array does not fit: the adjoint of a shared array is a shared array.
__global__ void f(double *y, const double *x)
{
    __shared__ double s[4000]; // expected-error @23: 64000 bytes of static shared memory
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    y[t] = s[t] * s[(t + 1) % 4000];
}
