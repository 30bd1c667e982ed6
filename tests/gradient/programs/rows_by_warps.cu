/*---
function = "log_sums"
wrt = ["x", "w"]
of = ["y"]
[launch]
grid = 1
block = 64
[inputs]
y = { zeros = [13] }
x = { shape = [13, 40], random_uniform = 1, low = 0.5, high = 1.5 }
w = 0.8
keep = { values = [1, 1, 0, 1, 1, 1, 0, 1, 2, 1, 1, 0, 1] }
rows = 13
cols = 40

[[cases]]
name = "warps"

[[cases]]
name = "quarters"
function = "moments"

[[cases]]
name = "no_rows"
inputs = { rows = 0 }
---*/
// A row for each warp, or each quarter of one, in turn: some have more rows than others, and leave some out.
__global__ void log_sums(double *y, const double *x, double w, const int *keep, int rows, int cols)
{
    const unsigned all = ~0u;
    const int lane = threadIdx.x & 31, warps = gridDim.x * (blockDim.x >> 5);
    for (int r = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5); r < rows; r += warps) {
        if (!keep[r])
            continue;
        double most = -1e300, sum = 0;
        for (int c = lane; c < cols; c += 32)
            most = fmax(most, w * x[r * cols + c]);
        for (int o = 16; o; o >>= 1)
            most = fmax(most, __shfl_xor_sync(all, most, o));
        for (int c = lane; c < cols; c += 32)
            sum += exp(w * x[r * cols + c] - most);
        for (int o = 16; o > 0; o /= 2)
            sum += __shfl_down_sync(~0u, sum, o);
        if (lane == 0)
            y[r] = most + log(sum);
    }
}

__device__ double of_quarter(unsigned mask, double v)
{
    for (int o = 4; o > 0; o /= 2)
        v += __shfl_xor_sync(mask, v, o, 8);
    return v;
}

__global__ void moments(double *y, const double *x, double w, const int *keep, int rows, int cols)
{
    const int lane = threadIdx.x % 8;
    for (int r = (blockIdx.x * blockDim.x + threadIdx.x) / 8; r < rows; r += gridDim.x * blockDim.x / 8) {
        const unsigned mask = 0xffu << (threadIdx.x % 32 / 8 * 8);
        double sum = 0;
        for (int c = lane; c < cols; c += 8)
            sum += w * x[r * cols + c];
        const double mean = of_quarter(mask, sum) / cols;
        if (keep[r] == 0)
            continue;
        double spread = 0;
        for (int c = lane; c < cols; c += 8)
            spread += (x[r * cols + c] - mean) * (x[r * cols + c] - mean);
        spread = of_quarter(mask, spread);
        if (lane == r % 8)
            y[r] = sqrt(spread) * mean;
    }
}
