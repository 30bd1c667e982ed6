/*---
function = "loss"
wrt = ["x", "w", "bias"]
of = ["out"]
[inputs]
out = { zeros = [1] }
x = { shape = [22], random = 1 }
w = { shape = [220], random_uniform = 2, low = -0.3, high = 0.3 }
bias = { shape = [10], random = 3 }
rows = 10
columns = 22
[gradcheck]
rtol = 0.08
---*/
// Mixed precision as networks are run: weights rounded to half, pairs of them at once, sums in float, a loss in float.
#include <cuda_fp16.h>

__global__ void to_half(half *to, const float *from, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = __float2half_rn(from[i]);
}

__device__ inline half2 gelu(half2 v)
{
    const half2 one = __float2half2_rn(1.0f);
    half2 e = h2exp(__hmul2(__float2half2_rn(-1.702f), v));
    return __h2div(v, __hadd2(one, e));
}

// A warp for each row.
__global__ void layer(half2 *y, const half2 *w, const half2 *x, const float *bias, int rows, int pairs)
{
    int row = blockIdx.x, lane = threadIdx.x;
    half2 sum = __float2half2_rn(0.0f);
    for (int k = lane; k < pairs; k += 32)
        sum = __hfma2(w[row * pairs + k], x[k], sum);
    half part = __low2half(sum) + __high2half(sum);
    part = __hadd(part, __shfl_xor_sync(0xffffffff, part, 16));
    float total = __half2float(part);
    for (int step = 8; step > 0; step /= 2)
        total += __shfl_down_sync(0xffffffff, total, step);
    if (lane == 0)
        y[row] = gelu(__floats2half2_rn(total + bias[row], total - bias[row]));
}

__global__ void squares(float *out, const half2 *y, int rows)
{
    int i = threadIdx.x;
    if (i < rows) {
        float2 v = __half22float2(y[i]);
        atomicAdd(out, v.x * v.x + 0.5f * v.y);
    }
}

void loss(float *out, const float *x, const float *w, const float *bias, int rows, int columns)
{
    half *wide, *narrow;
    half2 *y;
    cudaMalloc(&wide, rows * columns * sizeof(half));
    cudaMalloc(&narrow, columns * sizeof(half));
    cudaMalloc(&y, rows * sizeof(half2));
    to_half<<<(rows * columns + 63) / 64, 64>>>(wide, w, rows * columns);
    to_half<<<1, 64>>>(narrow, x, columns);
    layer<<<rows, 32>>>(y, reinterpret_cast<half2 *>(wide), (const half2 *)narrow, bias, rows, columns / 2);
    squares<<<1, 32>>>(out, y, rows);
    cudaFree(wide);
    cudaFree(narrow);
    cudaFree(y);
}
