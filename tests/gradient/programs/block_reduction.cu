/*---
function = "mean_and_variance"
wrt = ["x"]
of = ["mean", "variance"]
[inputs]
mean = { zeros = [4] }
variance = { zeros = [4] }
x = { shape = [4, 130], random = 1 }
rows = 4
n = 130
---*/
// The usual reduction in two levels, warps then the first warp, in a device function with barriers that is called twice.
__device__ double warp_sum(double v)
{
#pragma unroll
    for (int offset = 16; offset > 0; offset >>= 1)
        v += __shfl_down_sync(0xffffffff, v, offset);
    return v;
}

__device__ double block_sum(double v)
{
    __shared__ double sums[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    v = warp_sum(v);
    __syncthreads();
    if (lane == 0)
        sums[warp] = v;
    __syncthreads();
    v = threadIdx.x < blockDim.x / 32 ? sums[lane] : 0.0;
    if (warp == 0)
        v = warp_sum(v);
    return v;
}

__global__ void moments(double *mean, double *variance, const double *x, int n)
{
    __shared__ double centre;
    const double *row = x + blockIdx.x * n;
    double sum = 0.0, squares = 0.0;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        sum += row[j];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        centre = sum / n;
    __syncthreads();
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        squares += (row[j] - centre) * (row[j] - centre);
    squares = block_sum(squares);
    if (threadIdx.x == 0) {
        mean[blockIdx.x] = centre;
        variance[blockIdx.x] = squares / (n - 1);
    }
}

void mean_and_variance(double *mean, double *variance, const double *x, int rows, int n)
{
    moments<<<rows, 96>>>(mean, variance, x, n);
}
