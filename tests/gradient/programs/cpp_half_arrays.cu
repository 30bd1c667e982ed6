/*---
function = "smooth"
wrt = ["x", "w"]
of = ["y"]
[inputs]
y = { zeros = [37] }
x = { shape = [37], random_uniform = 1, low = 0.5, high = 1.5 }
w = { shape = [3], random_uniform = 2, low = 0.25, high = 0.75 }
n = 37
[reference]
x = "np.convolve(adj_y * (2 * np.convolve(x, w.astype(float), 'same') + 0.5), w[::-1].astype(float), 'same')"
w = "[np.sum((adj_y * (2 * np.convolve(x, w.astype(float), 'same') + 0.5)) * np.pad(x, 1)[2 - k:][:37]) for k in range(3)]"

[[cases]]
name = "some"

[[cases]]
name = "none"
inputs = { n = 0 }
reference = { x = "0 * x", w = "0 * w" }
---*/
// Arrays of half, in and out: a smoothing stencil with a shared tile, copies, a fill and memory of the host's.
#include <cuda_fp16.h>

const int TILE = 16;

__device__ half stencil(const half *tile, const half *w)
{
    half s = __hmul(w[0], tile[2]);
    s = __hfma(w[1], tile[1], s);
    return __hfma(w[2], tile[0], s);
}

__global__ void convolve(half *out, const half *in, const half *w, int n)
{
    __shared__ half tile[TILE + 2];
    int i = blockIdx.x * TILE + threadIdx.x;
    half zero = __float2half(0.0f);
    tile[threadIdx.x + 1] = i < n ? in[i] : zero;
    if (threadIdx.x == 0)
        tile[0] = i > 0 && i - 1 < n ? in[i - 1] : zero;
    if (threadIdx.x == TILE - 1)
        tile[TILE + 1] = i + 1 < n ? in[i + 1] : zero;
    __syncthreads();
    if (i < n)
        out[i] = stencil(tile + threadIdx.x, w);
}

__global__ void square(half *y, const half *x, half slope, int n)
{
    int i = blockIdx.x * TILE + threadIdx.x;
    if (i < n) {
        y[i] += x[i] * x[i];
        y[i] += slope * x[i];
    }
}

void smooth(half *y, const half *x, const half *w, int n)
{
    half *first, *second;
    int blocks = (n + TILE - 1) / TILE;
    if (n < 1)
        return;
    cudaMalloc(&first, n * sizeof(half));
    cudaMalloc(&second, n * sizeof(half));
    half *kept = new half[n];
    convolve<<<blocks, TILE>>>(first, x, w, n);
    cudaMemcpy(kept, first, n * sizeof(half), cudaMemcpyDeviceToHost);
    cudaMemset(first, 0, n * sizeof(half));
    cudaMemcpy(second, kept, n * sizeof(half), cudaMemcpyHostToDevice);
    cudaMemset(y, 0, n * sizeof(half));
    square<<<blocks, TILE>>>(y, second, __float2half(0.5f), n);
    delete[] kept;
    cudaFree(first);
    cudaFree(second);
}
