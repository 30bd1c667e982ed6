/*---
function = "bins"
wrt = ["x"]
of = ["y"]
help = "new values before"
---*/
// How many threads there are is not known in the kernel: these may not reset all four.
__global__ void bins(double *y, const double *x, int n)
{
    __shared__ double sums[4];
    int t = threadIdx.x;
    double product = 1.0;
    for (int r = 0; r < n; r++) {
        if (t < 4)
            sums[t] = 0.0;
        __syncthreads();
        atomicAdd(&sums[t % 4], x[r * blockDim.x + t]);  // expected-error: as it was before this atomic operation
        __syncthreads();
        product *= sums[(t + 1) % 4];
        __syncthreads();
    }
    y[t] = product;
}
