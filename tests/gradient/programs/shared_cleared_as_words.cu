/*---
function = "fold"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [21] }
x = { shape = [21], random = 3 }
n = 21
---*/
// Sums in dynamic shared memory that is cleared as words, once before each tile and once behind all.
__global__ void sums(double *y, const double *x, int n)
{
    extern __shared__ unsigned char raw[];
    double *sum = (double *)raw;
    int t = threadIdx.x;
    double all = 0.0;
    for (int tile = 0; tile < n; tile += 8) {
        for (int k = t; k < 4; k += blockDim.x)
            ((unsigned int *)raw)[k] = 0;
        __syncthreads();
        if (tile + t < n)
            atomicAdd(&sum[t % 2], sin(x[tile + t]) * x[tile + t]);
        __syncthreads();
        all += (sum[0] - 0.3 * sum[1]) * (tile + 1);
        __syncthreads();
    }
    if (t < 2)
        ((unsigned long long *)raw)[t] = 0;
    __syncthreads();
    for (int i = t; i < n; i += blockDim.x)
        y[i] = all * x[i] + sum[i % 2];
}

void fold(double *y, const double *x, int n)
{
    sums<<<1, 8, 2 * sizeof(double)>>>(y, x, n);
}
