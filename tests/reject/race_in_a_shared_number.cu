/*---
function = "scaled"
wrt = ["x"]
of = ["y"]
help = "let one do it (if (threadIdx.x == 0)), or add with atomicAdd"
---*/
// All threads of a block add to one shared number, which is no array, none of them atomically.
__global__ void by_total(double *y, const double *x)
{
    __shared__ double total;
    int i = blockIdx.x * 32 + threadIdx.x;
    total = 0;
    __syncthreads();
    total += x[i];  // expected-error @5: a race: threads that differ in threadIdx.x alone read and write one cell of 'total'
    __syncthreads();
    y[i] = x[i] / total;
}

void scaled(double *y, const double *x)
{
    by_total<<<2, 32>>>(y, x);
}
