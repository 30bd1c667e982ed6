/*---
function = "scan"
wrt = ["x"]
of = ["y"]
[launch]
grid = 1
block = 64
[inputs]
y = { zeros = [64] }
x = { shape = [64], random_uniform = 1, low = 0.5, high = 1.2 }

[[cases]]
name = "sums"
reference = { x = "np.cumsum(adj_y.reshape(2, 32)[:, ::-1], 1)[:, ::-1].ravel()" }

[[cases]]
name = "products_of_eight"
function = "products_of_eight"

[[cases]]
name = "whole_block"
function = "whole_block"
---*/
// Prefix sums with __shfl_up_sync, prefix products within a width of eight, and a scan of the block from its warps.
__device__ double warp_scan(double v, int lane)
{
    for (int d = 1; d < 32; d *= 2) {
        double left = __shfl_up_sync(0xffffffff, v, d);
        if (lane >= d)
            v += left;
    }
    return v;
}

__global__ void scan(double *y, const double *x)
{
    y[threadIdx.x] = warp_scan(x[threadIdx.x], threadIdx.x & 31);
}

__global__ void products_of_eight(double *y, const double *x)
{
    double v = x[threadIdx.x];
    int lane = threadIdx.x % 8;
    for (int d = 1; d < 8; d *= 2) {
        double left = __shfl_up_sync(0xffffffff, v, d, 8);
        v = lane >= d ? v * left : v;
    }
    y[threadIdx.x] = v;
}

__global__ void whole_block(double *y, const double *x)
{
    __shared__ double totals[2];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    double v = warp_scan(x[threadIdx.x] * x[threadIdx.x], lane);
    if (lane == 31)
        totals[warp] = v;
    __syncthreads();
    if (warp > 0)
        v += totals[warp - 1];
    y[threadIdx.x] = v;
}
