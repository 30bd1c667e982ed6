/*---
function = "exchange"
wrt = ["x"]
of = ["y"]
[launch]
grid = 2
block = 48
[inputs]
y = { zeros = [96] }
x = { shape = [96], random = 1 }

[[cases]]
name = "segments"

[[cases]]
name = "lane_from_memory"
function = "permute"
launch = { grid = 1, block = 32 }
---*/
// Shuffles in segments of 16 and 4 lanes in a block whose last warp is half full, and from a lane that varies.
__global__ void exchange(double *y, const double *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned mask = threadIdx.x < 32 ? 0xffffffffu : 0x0000ffffu;
    double v = x[i];
    double first = __shfl_sync(mask, v, 0, 16);
    double last = __shfl_sync(mask, v, 3, 4);
    double next = __shfl_down_sync(mask, v, 1, 16);
    double opposite = __shfl_xor_sync(mask, v * v, 3, 4);
    y[i] = first * v + last * next + opposite;
}

__global__ void permute(double *y, const double *x)
{
    int t = threadIdx.x;
    double v = x[t] * x[t + 32];
    int lane = (7 * t + 3) % 32;
    double a = __shfl_sync(0xffffffff, v, lane);
    float b = __shfl_sync(0xffffffff, (float)x[t], t / 2);
    y[t] = a * v + 0.0 * b;
    y[t + 32] = __shfl_sync(0xffffffff, a, 5) * x[t];
}
