/*---
function = "encode"
wrt = ["x", "wq", "wk", "wv", "wo", "scale"]
of = ["y"]
[inputs]
x = { shape = [7, 8], random = 1 }
y = { zeros = [7, 8] }
wq = { shape = [8, 8], random = 2 }
wk = { shape = [8, 8], random = 3 }
wv = { shape = [8, 8], random = 4 }
wo = { shape = [8, 8], random = 5 }
scale = { shape = [8], random = 6 }
tokens = 7
width = 8
heads = 2
layers = 2
[gradcheck]
rtol = 1e-5
---*/
// A transformer's encoder: tiled matrix products, causal softmax over rows in shared memory, a residual and a root mean
// square norm, the same weights in every layer.
#include <math.h>

#define TILE 4
#define CUDA_CALL(x) do { if ((x) != cudaSuccess) return -1; } while (0)

// c = a b, or a b^T
template <bool transposed>
__global__ void product(double *c, const double *a, const double *b, int m, int n, int k, int lda, int ldb, int ldc)
{
    __shared__ double at[TILE][TILE], bt[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    double sum = 0.0;
    for (int start = 0; start < k; start += TILE) {
        int ka = start + threadIdx.x, kb = start + threadIdx.y;
        at[threadIdx.y][threadIdx.x] = row < m && ka < k ? a[row * lda + ka] : 0.0;
        int from = transposed ? column * ldb + kb : kb * ldb + column;
        bt[threadIdx.y][threadIdx.x] = column < n && kb < k ? b[from] : 0.0;
        __syncthreads();
        for (int j = 0; j < TILE; j++)
            sum += at[threadIdx.y][j] * bt[j][threadIdx.x];
        __syncthreads();
    }
    if (row < m && column < n)
        c[row * ldc + column] = sum;
}

__global__ void causal_softmax(double *s, int tokens, double factor)
{
    extern __shared__ double row[];
    double *mine = s + blockIdx.x * tokens;
    int last = blockIdx.x;
    for (int j = threadIdx.x; j <= last; j += blockDim.x)
        row[j] = mine[j] * factor;
    __syncthreads();
    double most = row[0], sum = 0.0;
    for (int j = 1; j <= last; j++)
        most = fmax(most, row[j]);
    for (int j = 0; j <= last; j++)
        sum += exp(row[j] - most);
    for (int j = threadIdx.x; j < tokens; j += blockDim.x)
        mine[j] = j <= last ? exp(row[j] - most) / sum : 0.0;
}

__global__ void add_and_norm(double *x, const double *more, const double *scale, int tokens, int width)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= tokens)
        return;
    double square = 0.0;
    for (int j = 0; j < width; j++) {
        x[t * width + j] += more[t * width + j];
        square += x[t * width + j] * x[t * width + j];
    }
    double r = rsqrt(square / width + 1e-6);
    for (int j = 0; j < width; j++)
        x[t * width + j] *= r * scale[j];
}

static void multiply(double *c, const double *a, const double *b, int m, int n, int k, int lda, int ldb, int ldc)
{
    dim3 block(TILE, TILE), grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    product<false><<<grid, block>>>(c, a, b, m, n, k, lda, ldb, ldc);
}

int encode(double *y, const double *x, const double *wq, const double *wk, const double *wv, const double *wo,
           const double *scale, int tokens, int width, int heads, int layers)
{
    const int part = width / heads;
    const size_t sheet = tokens * width * sizeof(double), square = width * width * sizeof(double);
    const double *sources[4] = {wq, wk, wv, wo};
    double *weights[4], *d_scale, *d_x, *q, *k, *v, *out, *mixed, *scores;
    for (int i = 0; i < 4; i++) {
        CUDA_CALL(cudaMalloc(&weights[i], square));
        CUDA_CALL(cudaMemcpy(weights[i], sources[i], square, cudaMemcpyHostToDevice));
    }
    CUDA_CALL(cudaMalloc(&d_scale, width * sizeof(double)));
    CUDA_CALL(cudaMemcpy(d_scale, scale, width * sizeof(double), cudaMemcpyHostToDevice));
    CUDA_CALL(cudaMalloc(&d_x, sheet));
    CUDA_CALL(cudaMemcpy(d_x, x, sheet, cudaMemcpyHostToDevice));
    CUDA_CALL(cudaMalloc(&q, sheet));
    CUDA_CALL(cudaMalloc(&k, sheet));
    CUDA_CALL(cudaMalloc(&v, sheet));
    CUDA_CALL(cudaMalloc(&out, sheet));
    CUDA_CALL(cudaMalloc(&mixed, sheet));
    CUDA_CALL(cudaMalloc(&scores, tokens * tokens * sizeof(double)));
    for (int l = 0; l < layers; l++) {
        multiply(q, d_x, weights[0], tokens, width, width, width, width, width);
        multiply(k, d_x, weights[1], tokens, width, width, width, width, width);
        multiply(v, d_x, weights[2], tokens, width, width, width, width, width);
        for (int h = 0; h < heads; h++) {
            dim3 grid((tokens + TILE - 1) / TILE, (tokens + TILE - 1) / TILE), block(TILE, TILE);
            product<true><<<grid, block>>>(scores, q + h * part, k + h * part, tokens, tokens, part, width, width,
                                           tokens);
            causal_softmax<<<tokens, 4, tokens * sizeof(double)>>>(scores, tokens, 1.0 / sqrt((double)part));
            multiply(mixed + h * part, scores, v + h * part, tokens, part, tokens, tokens, width, width);
        }
        multiply(out, mixed, weights[3], tokens, width, width, width, width, width);
        add_and_norm<<<(tokens + 3) / 4, 4>>>(d_x, out, d_scale, tokens, width);
    }
    CUDA_CALL(cudaMemcpy(y, d_x, sheet, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 4; i++)
        cudaFree(weights[i]);
    cudaFree(d_scale);
    cudaFree(d_x);
    cudaFree(q);
    cudaFree(k);
    cudaFree(v);
    cudaFree(out);
    cudaFree(mixed);
    cudaFree(scores);
    return 0;
}
