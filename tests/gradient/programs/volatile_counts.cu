/*---
function = "weigh"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [40] }
x = { shape = [150], random = 1 }
flags = { zeros = [5] }
n = 150
---*/
// Inactive volatile data: a count by the warp, a flag in shared memory, volatile locals, and numbers that carry no
// derivative.
__device__ void count_warp(volatile int *counts, int lane)
{
    for (int half = 16; half > 0; half /= 2) {
        __syncwarp();
        int other = counts[lane + half];
        __syncwarp();
        counts[lane] += other;
    }
}

__global__ void weigh_kernel(double *y, const double *x, volatile int *flags, int n)
{
    __shared__ int counts[64];
    __shared__ volatile double limit;
    volatile __shared__ bool any;
    int t = threadIdx.x, i = blockIdx.x * 40 + t;
    if (t == 0) {
        any = false;
        limit = 0.25;
    }
    counts[t] = i < n && x[i] > 0.1;
    if (t < 24)
        counts[40 + t] = 0;
    __syncthreads();
    if (t == 7 && i < n && x[i] > 0.0)
        any = true;
    if (t < 32) {
        counts[t] += counts[t + 32];
        count_warp(counts, t);
    }
    __syncthreads();
    volatile int total = counts[0];
    for (volatile int k = 0; k < 2; k++)
        total += k;
    if (t == 0) {
        flags[blockIdx.x] = total;
        flags[blockIdx.x]++;
    }
    if (i < n)
        atomicAdd(&y[t], (any ? 2.0 : limit) * x[i] * x[i] * total + (flags[4] == 0 ? x[i] : sin(x[i])));
}

void weigh(double *y, const double *x, int *flags, int n)
{
    volatile int step = 40;
    weigh_kernel<<<(n + step - 1) / step, step>>>(y, x, flags, n);
}
