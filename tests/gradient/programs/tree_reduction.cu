/*---
function = "norms"
wrt = ["x"]
of = ["partial"]
[inputs]
partial = { zeros = [3] }
x = { shape = [75], random = 1 }
n = 75
---*/
// A tree of sums in dynamic shared memory, half as many threads at each step; the last block is not full.
__global__ void norms_kernel(double *partial, const double *x, int n)
{
    extern __shared__ double work[];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    work[t] = i < n ? x[i] * x[i] : 0.0;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s)
            work[t] += work[t + s];
        __syncthreads();
    }
    if (t == 0)
        partial[blockIdx.x] = sqrt(work[0]);
}

void norms(double *partial, const double *x, int n)
{
    norms_kernel<<<(n + 31) / 32, 32, 32 * sizeof(double)>>>(partial, x, n);
}
