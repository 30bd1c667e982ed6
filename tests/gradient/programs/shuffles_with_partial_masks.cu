/*---
function = "halves"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [96] }
x = { shape = [96], random = 1 }
---*/
// Shuffles among some lanes of a warp: under a condition, and half a warp at a time in a loop.
__global__ void halves_kernel(double *y, const double *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    double v = x[i] * x[i];
    if (lane % 2)
        v += x[i] * __shfl_xor_sync(0xaaaaaaaau, v, 2);
    else
        v *= 0.5;
    for (int k = 8; k > 0; k /= 2)
        v += 0.3 * v * __shfl_down_sync(lane < 16 ? 0x0000ffffu : 0xffff0000u, v, k, 16);
    if (lane >= 16)
        v = sin(__shfl_up_sync(0xffff0000u, v, 1, 16)) * v;
    y[i] = v;
}

void halves(double *y, const double *x)
{
    halves_kernel<<<3, 32>>>(y, x);
}
