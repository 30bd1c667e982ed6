/*---
function = "relax"
wrt = ["x"]
of = ["x"]
help = "if (blockIdx.x == 0)"
---*/
// Each block relaxes the same elements, through a function.
__device__ void towards(double *cell, double target)
{
    *cell = 0.5 * (*cell + target);  // expected-error: a race: threads that differ in blockIdx.x alone read and write one cell of 'x' in no order
//   ^
}

__global__ void relax_elements(double *x, int n)
{
    if (threadIdx.x < n)
        towards(x + threadIdx.x, sin(1.0 * threadIdx.x));
}

void relax(double *x, int n)
{
    relax_elements<<<3, 32>>>(x, n);
}
