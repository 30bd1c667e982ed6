/*---
function = "spread"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [128] }
x = { shape = [128], random = 1 }
rounds = 3
---*/
// Loops that only some lanes come to, and run equally often: tree sums of half warps, and rotations within quarters.
__global__ void spread_kernel(double *y, const double *x, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    double v = x[i];
    if (lane < 16) {
        for (int k = 8; k > 0; k >>= 1)
            v += 0.5 * v * __shfl_down_sync(0x0000ffffu, v * x[i], k, 16);
    } else {
        for (int r = 0; r < rounds; r++) {
            double w = __shfl_sync(0xffff0000u, v, (lane + r + 1) % 16, 16);
            v = sin(v) + 0.3 * w * x[i];
        }
    }
    if (threadIdx.x / 32 == 1)
        for (int k = 0; k < 2; k++)
            for (int m = 1; m <= 2; m *= 2)
                v *= 1.0 + 0.1 * __shfl_xor_sync(0xffffffffu, v, m);
    y[i] = v;
}

void spread(double *y, const double *x, int rounds)
{
    spread_kernel<<<2, 64>>>(y, x, rounds);
}
