/*---
function = "layer_norm"
wrt = ["x", "gain", "bias"]
of = ["y"]
[inputs]
y = { zeros = [5, 19] }
x = { shape = [5, 19], random = 1 }
gain = { shape = [19], random = 2 }
bias = { shape = [19], random = 3 }
columns = 19
---*/
// A warp normalises a row: mean and variance by shuffles, loops with the stride of the warp, two rows a block.
__device__ float sum_of_warp(float v)
{
    for (int mask = 16; mask > 0; mask >>= 1)
        v += __shfl_xor_sync(0xffffffff, v, mask);
    return v;
}

__global__ void layer_norm_kernel(float *y, const float *x, const float *gain, const float *bias, int rows, int columns)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;
    const float *from = x + row * columns;
    float mean = 0.0f, variance = 0.0f;
    for (int j = threadIdx.x; j < columns; j += warpSize)
        mean += from[j];
    mean = sum_of_warp(mean) / columns;
    for (int j = threadIdx.x; j < columns; j += warpSize) {
        float d = from[j] - mean;
        variance += d * d;
    }
    float scale = rsqrtf(sum_of_warp(variance) / columns + 1e-5f);
    for (int j = threadIdx.x; j < columns; j += warpSize)
        y[row * columns + j] = (from[j] - mean) * scale * gain[j] + bias[j];
}

void layer_norm(float *y, const float *x, const float *gain, const float *bias, int columns)
{
    layer_norm_kernel<<<3, dim3(32, 2)>>>(y, x, gain, bias, 5, columns);
}
