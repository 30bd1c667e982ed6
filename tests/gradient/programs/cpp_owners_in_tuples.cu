/*---
function = "forward"
wrt = ["x", "gamma", "beta"]
[inputs]
x = { shape = [120], random = 1 }
gamma = { shape = [4], random = 2 }
beta = { shape = [4], random = 3 }
batch = 5
channels = 4
---*/
// Batch normalisation over buffers that own their memory and are handed over in tuples with their shapes.
#include <cuda_runtime.h>
#include <array>
#include <cassert>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

using Shape = std::array<int, 4>;
static constexpr int elements(const Shape &s) { return s[0] * s[1] * s[2] * s[3]; }

template <class T> struct CudaDeleter {
    void operator()(T *p) const noexcept { cudaFree(p); }
};
template <class T> using device_ptr = std::unique_ptr<T[], CudaDeleter<T>>;
template <class T> device_ptr<T> make_device(size_t n)
{
    T *p = nullptr;
    cudaMalloc(&p, n * sizeof(T));
    return device_ptr<T>(p);
}

template <int BLOCK> __device__ double block_sum(double v)
{
    __shared__ double part[BLOCK / 32];
    for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = v;
    __syncthreads();
    double t = 0;
    for (int i = 0; i < BLOCK / 32; ++i) t += part[i];
    __syncthreads();
    return t;
}

template <int BLOCK> __global__ void batch_norm(const double *x, const double *g, const double *b, double *y, int N, int C, int HW, double eps)
{
    const int c = blockIdx.x;
    double s = 0, q = 0;
    for (int i = threadIdx.x; i < N * HW; i += BLOCK) {
        int n = i / HW, p = i % HW;
        double v = x[(n * C + c) * HW + p];
        s += v;
        q += v * v;
    }
    const double mean = block_sum<BLOCK>(s) / (N * HW);
    const double var = block_sum<BLOCK>(q) / (N * HW) - mean * mean;
    const double inv = rsqrt(var + eps);
    for (int i = threadIdx.x; i < N * HW; i += BLOCK) {
        int n = i / HW, p = i % HW, j = (n * C + c) * HW + p;
        y[j] = fmax(0.0, g[c] * (x[j] - mean) * inv + b[c]);
    }
}

struct Options {
    std::optional<double> eps;
    std::string_view act = "relu";
};

static std::tuple<device_ptr<double>, Shape> upload(const double *h, Shape s)
{
    auto d = make_device<double>(elements(s));
    cudaMemcpy(d.get(), h, elements(s) * sizeof(double), cudaMemcpyHostToDevice);
    return {std::move(d), s};
}

double forward(const double *x, const double *gamma, const double *beta, int batch, int channels)
{
    Options opt{};
    auto [dx, shape] = upload(x, Shape{batch, channels, 2, 3});
    auto [dg, gs] = upload(gamma, Shape{1, channels, 1, 1});
    auto [db, bs] = upload(beta, {1, channels, 1, 1});
    assert(gs[1] == bs[1]);
    auto dy = make_device<double>(elements(shape));
    batch_norm<64><<<channels, 64>>>(dx.get(), dg.get(), db.get(), dy.get(), shape[0], shape[1], shape[2] * shape[3], opt.eps.value_or(1e-5));
    std::vector<double> y(elements(shape));
    cudaMemcpy(y.data(), dy.get(), y.size() * sizeof(double), cudaMemcpyDeviceToHost);
    return std::inner_product(y.begin(), y.end(), y.begin(), 0.0) + std::accumulate(y.cbegin(), y.cend(), 0.0);
}
