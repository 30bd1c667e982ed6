/*---
function = "total"
wrt = ["x"]
of = ["out"]
help = "split the kernel"
---*/
// The last block to arrive, by a counter after a fence, adds up what all blocks have left, in units of its own sum, so
// that the result depends on which block that is.
__global__ void total_kernel(double *out, const double *x, double *partial, unsigned *arrived, int n)
{
    __shared__ double work[16];
    __shared__ bool last;
    int t = threadIdx.x, i = blockIdx.x * 16 + t;
    work[t] = i < n ? x[i] * x[i] * x[i] : 0.0;
    __syncthreads();
    for (int s = 8; s > 0; s >>= 1) {
        if (t < s)
            work[t] += work[t + s];
        __syncthreads();
    }
    if (t == 0) {
        partial[blockIdx.x] = work[0];
        __threadfence();
        last = atomicInc(arrived, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        double sum = 0.0;
        for (int b = 0; b < gridDim.x; b++)
            sum += partial[b] / work[0]; // expected-error @20: other blocks of the launch have written
        out[0] = sum;
    }
}

void total(double *out, const double *x, double *partial, unsigned *arrived, int n)
{
    total_kernel<<<(n + 15) / 16, 16>>>(out, x, partial, arrived, n);
}
