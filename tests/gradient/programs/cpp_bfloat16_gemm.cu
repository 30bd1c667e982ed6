/*---
function = "gemm"
wrt = ["a", "b", "alpha"]
of = ["c"]
[inputs]
c = { shape = [90], random = 1 }
a = { shape = [63], random = 2 }
b = { shape = [70], random = 3 }
alpha = 0.75
m = 9
n = 10
k = 7
[gradcheck]
rtol = 0.15
[reference]
a = "alpha * (adj_c.reshape(9, 10) @ b.reshape(7, 10).T).ravel()"
b = "alpha * (a.reshape(9, 7).T @ adj_c.reshape(9, 10)).ravel()"
alpha = "np.sum(adj_c * (a.reshape(9, 7) @ b.reshape(7, 10)).ravel())"
---*/
// A tiled product of matrices in bfloat16 with sums in float; the tiles, the factors and a correction are rounded.
#include <cuda_bf16.h>

template <class T> struct Number;
template <> struct Number<__nv_bfloat16> {
    static __device__ __nv_bfloat16 of(float v) { return __float2bfloat16(v); }
};

template <class T, int TILE>
__global__ void multiply(float *c, const float *a, const float *b, T alpha, int m, int n, int k)
{
    __shared__ T left[TILE][TILE], right[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int at = 0; at < k; at += TILE) {
        int i = at + threadIdx.x, j = at + threadIdx.y;
        left[threadIdx.y][threadIdx.x] = Number<T>::of(row < m && i < k ? a[row * k + i] : 0.0f);
        right[threadIdx.y][threadIdx.x] = Number<T>::of(j < k && column < n ? b[j * n + column] : 0.0f);
        __syncthreads();
        for (int l = 0; l < TILE; ++l)
            sum += static_cast<float>(left[threadIdx.y][l]) * __bfloat162float(right[l][threadIdx.x]);
        __syncthreads();
    }
    if (row < m && column < n) {
        T scaled = __hmul(alpha, Number<T>::of(sum));
        T half_of = scaled / T(2.0f);
        scaled = __hsub(__hadd(scaled, half_of), half_of);
        c[row * n + column] = float(scaled) + (scaled > Number<T>::of(1e6f) ? 1.0f : 0.0f);
    }
}

void gemm(float *c, const float *a, const float *b, float alpha, int m, int n, int k)
{
    __nv_bfloat16 factor = __float2bfloat16(alpha);
    dim3 block(4, 4), grid((n + 3) / 4, (m + 3) / 4);
    multiply<__nv_bfloat16, 4><<<grid, block>>>(c, a, b, factor, m, n, k);
}
