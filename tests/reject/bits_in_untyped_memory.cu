/*---
function = "f"
wrt = ["x"]
of = ["y"]
help = "use one type"
---*/
// Memory without a type: one kernel stores bits of active numbers there, the next reads numbers.
__global__ void put(long long *bits, const double *x)
{
    bits[threadIdx.x] = __double_as_longlong(x[threadIdx.x]);
}

__global__ void get(double *y, const double *numbers)
{
    y[threadIdx.x] = 2.0 * numbers[threadIdx.x];
}

void f(double *y, const double *x)
{
    void *memory;
    cudaMalloc(&memory, 4 * sizeof(double));
    put<<<1, 4>>>((long long *)memory, x);  // expected-error: seen as numbers too
    get<<<1, 4>>>(y, (const double *)memory);
    cudaFree(memory);
}
