/*---
function = "k"
error = "UnsupportedError"
help = "call atomicAdd"
---*/
__device__ double multiply(double *address, double value)
{
    unsigned long long *bits = (unsigned long long *)address;  // expected-error: a cast of 'double *'
    unsigned long long old = *bits, assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed, __double_as_longlong(value * __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);
}

__global__ void k(double *product, const double *x)
{
    multiply(product, x[threadIdx.x]);
}
