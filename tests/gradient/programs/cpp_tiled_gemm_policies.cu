/*---
function = "layer"
wrt = ["a", "b", "bias"]
of = ["c"]
[inputs]
c = { zeros = [70] }
a = { shape = [90], random = 1 }
b = { shape = [63], random = 2 }
bias = { shape = [7], random = 3 }
m = 10
n = 7
k = 9
---*/
// A dense layer: tiles as template parameters, an activation as a policy class, variadic epilogues, alias templates.
template <typename T> struct Relu {
    static __device__ __forceinline__ T apply(T v) { return v > T(0) ? v : T(0); }
};
template <typename T> struct Gelu {
    static constexpr T kScale = T(0.7978845608028654);
    static __device__ __forceinline__ T apply(T v) { return T(0.5) * v * (T(1) + tanh(kScale * (v + T(0.044715) * v * v * v))); }
};

template <template <typename> class Activation, typename T> using Op = Activation<T>;

template <typename T, int TILE_M, int TILE_N, int TILE_K> struct TileShape {
    using value_type = T;
    enum : int { M = TILE_M, N = TILE_N, K = TILE_K };
    T a[M][K];
    T b[K][N + 1];
};

template <class... Fs> __device__ double chain(double v, Fs... fs)
{
    ((v = fs(v)), ...);
    return v;
}

template <class Shape, class Activation>
__global__ void dense(typename Shape::value_type *c, const typename Shape::value_type *a,
                      const typename Shape::value_type *b, const typename Shape::value_type *bias, int m, int n, int k)
{
    using T = typename Shape::value_type;
    __shared__ Shape tile;
    const int row = blockIdx.y * Shape::M + threadIdx.y, col = blockIdx.x * Shape::N + threadIdx.x;
    T acc = T{0};
    for (int k0 = 0; k0 < k; k0 += Shape::K) {
        if (threadIdx.x < Shape::K)
            tile.a[threadIdx.y][threadIdx.x] = (row < m && k0 + threadIdx.x < k) ? a[row * k + k0 + threadIdx.x] : T{};
        if (threadIdx.y < Shape::K)
            tile.b[threadIdx.y][threadIdx.x] = (col < n && k0 + threadIdx.y < k) ? b[(k0 + threadIdx.y) * n + col] : T{};
        __syncthreads();
#pragma unroll
        for (int p = 0; p < Shape::K; ++p)
            acc += tile.a[threadIdx.y][p] * tile.b[p][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n)
        c[row * n + col] = chain(acc, [&](T v) { return v + bias[col]; }, [](T v) { return Activation::apply(v); });
}

template <class T> using SmallTile = TileShape<T, 4, 4, 4>;

void layer(double *c, const double *a, const double *b, const double *bias, int m, int n, int k)
{
    double *buffers[4];
    const int sizes[4] = {m * n, m * k, k * n, n};
    for (int i = 0; i < 4; ++i)
        cudaMalloc(&buffers[i], sizes[i] * sizeof(double));
    cudaMemcpy(buffers[1], a, sizes[1] * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(buffers[2], b, sizes[2] * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(buffers[3], bias, sizes[3] * sizeof(double), cudaMemcpyHostToDevice);
    dim3 block(4, 4);
    dim3 grid((n + 3) / 4, (m + 3) / 4);
    dense<SmallTile<double>, Op<Gelu, double>><<<grid, block>>>(buffers[0], buffers[1], buffers[2], buffers[3], m, n, k);
    cudaMemcpy(c, buffers[0], sizes[0] * sizeof(double), cudaMemcpyDeviceToHost);
    for (auto *p : buffers)
        cudaFree(p);
}
