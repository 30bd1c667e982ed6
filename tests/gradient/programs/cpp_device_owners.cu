/*---
function = "f"
wrt = ["x"]
[inputs]
x = { shape = [9], random = 1 }
n = 9
---*/
// Owners of device memory: cudaFree itself, pointers to functions, lambdas and std::function as what ends a pointer.
#include <cuda_runtime.h>
#include <cstdlib>
#include <functional>
#include <memory>

__global__ void cube(const double *a, double *b, double w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        b[i] = w * a[i] * a[i] * a[i];
}
static double *device(size_t n)
{
    double *p = nullptr;
    cudaMalloc(&p, n * sizeof(double));
    return p;
}
static void release(double *p) { cudaFree(p); }
using Ended = std::unique_ptr<double, void (*)(double *)>;
static Ended ended(size_t n)
{
    return Ended(device(n), [](double *p) { cudaFree(p); });
}
template <class In, class Out> double through(const double *x, const In &a, const Out &b, double w, int n)
{
    cudaMemcpy(a.get(), x, n * sizeof(double), cudaMemcpyHostToDevice);
    cube<<<2, 8>>>(a.get(), b.get(), w, n);
    std::unique_ptr<double[], decltype(&std::free)> h((double *)std::malloc(n * sizeof(double)), &std::free);
    cudaMemcpy(h.get(), b.get(), n * sizeof(double), cudaMemcpyDeviceToHost);
    double s = 0;
    for (int i = 0; i < n; ++i)
        s += h[i] * (i + 1);
    return s;
}
double f(const double *x, int n)
{
    cudaFree(0);
    std::unique_ptr<double, decltype(&cudaFree)> a(device(n), cudaFree);
    std::unique_ptr<double, cudaError_t (*)(void *)> b{device(n), &cudaFree};
    double s = through(x, a, b, 1.0, n);

    Ended c = ended(n);
    s += through(x, c, Ended(device(n), release), s, n);

    const auto end = [](double *p) { cudaFree(p); };
    std::unique_ptr<double, decltype(end)> d(device(n), end);
    std::unique_ptr<double[], decltype(end)> e(device(n), end);
    auto moved = std::move(e);
    s += through(x, d, moved, 0.5, n);

    std::shared_ptr<double> g(device(n), cudaFree);
    std::shared_ptr<double[]> h;
    h.reset(device(n), [](double *p) { cudaFree(p); });
    std::shared_ptr<double[]> again = h;
    s += through(x, g, again, 2.0, n);

    std::unique_ptr<double, std::function<void(double *)>> k(device(n), [](double *p) { cudaFree(p); });
    std::unique_ptr<void, decltype(&cudaFree)> nothing(nullptr, cudaFree);
    return nothing ? 0.0 : s + through(x, k, d, 0.25, n);
}
