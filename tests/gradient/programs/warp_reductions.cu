/*---
function = "down"
wrt = ["x"]
of = ["y"]
[launch]
grid = 2
block = 64
[inputs]
y = { zeros = [4] }
x = { shape = [128], random = 1 }

[[cases]]
name = "down"

[[cases]]
name = "butterfly"
function = "butterfly"
inputs = { y = { zeros = [128] } }

[[cases]]
name = "products"
function = "products"
inputs = { x = { shape = [128], random_uniform = 1, low = 0.8, high = 1.2 } }

[[cases]]
name = "greatest"
function = "greatest"
---*/
// A value of each lane, reduced over the warp by shuffles: sums, a product, the greatest.
#define ALL 0xffffffffu

__global__ void down(double *y, const double *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double v = x[i] * x[i];
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        v += __shfl_down_sync(ALL, v, offset);
    if (threadIdx.x % warpSize == 0)
        y[i / warpSize] = sqrt(v);
}

__global__ void butterfly(double *y, const double *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double v = x[i];
    for (int mask = 16; mask > 0; mask >>= 1)
        v += __shfl_xor_sync(ALL, v, mask);
    y[i] = x[i] * v;
}

__global__ void products(double *y, const double *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double v = x[i];
    for (int mask = 1; mask < 32; mask <<= 1)
        v *= __shfl_xor_sync(ALL, v, mask);
    if (threadIdx.x % 32 == 3)
        y[i / 32] = v;
}

__global__ void greatest(double *y, const double *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double v = x[i];
    for (int offset = 16; offset > 0; offset /= 2) {
        double other = __shfl_down_sync(ALL, v, offset);
        if (other > v)
            v = other;
    }
    if (threadIdx.x % 32 == 0)
        y[i / 32] = v * v;
}
