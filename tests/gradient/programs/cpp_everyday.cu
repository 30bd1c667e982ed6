/*---
function = "everyday"
wrt = ["x", "a"]
of = ["y"]
[inputs]
y = { zeros = [22] }
x = { shape = [22], random_uniform = 1, low = 0.5, high = 2.0 }
a = 0.6
n = 22
---*/
// The C++ of everyday .cu files: no struct tags, nullptr, bool, casts of C++, auto, constexpr, braces, std::, using, new.
#include <cmath>
#include <cstdio>

using real = double;
using std::sqrt;

constexpr int threads = 8;
constexpr real half = 0.5;

struct parameters {
    real a;
    int n;
    bool square;
};

__device__ real curve(real v, real power = 2.0, bool root = false)
{
    auto w = std::pow(v, power);
    return root ? std::sqrt(w) : w;
}

__global__ void everyday_kernel(real *y, const real *x, parameters p, const int *skip)
{
    const auto i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= p.n)
        return;
    if (skip != nullptr && skip[i])
        return;
    real v{x[i]};
    int whole = int(v * 3);
    auto f = float(whole) * real(half);
    y[i] = curve(v) + curve(v * p.a, 3.0) * f + curve(v, 1.5, p.square) + std::fabs(v - p.a);
}

extern "C" void everyday(real *y, const real *x, real a, int n)
{
    real *d_x = nullptr, *d_y = nullptr;
    auto bytes = n * sizeof(real);
    real *copy = new real[n];
    for (int i = 0; i < n; ++i)
        copy[i] = x[i] * a;
    cudaMalloc(reinterpret_cast<void **>(&d_x), bytes);
    cudaMalloc(&d_y, bytes);
    cudaMemcpy(d_x, copy, bytes, cudaMemcpyHostToDevice);
    parameters p{a, n, true};
    everyday_kernel<<<(n + threads - 1) / threads, threads>>>(d_y, d_x, p, nullptr);
    cudaMemcpy(y, d_y, bytes, cudaMemcpyDeviceToHost);
    delete[] copy;
    cudaFree(d_x);
    cudaFree(d_y);
}
