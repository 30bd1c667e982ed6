/*---
function = "solve"
wrt = ["low", "main_", "up", "right"]
of = ["right"]
[inputs]
low = { shape = [9, 14], random_uniform = 1, low = 0.1, high = 0.4 }
main_ = { shape = [9, 14], random_uniform = 2, low = 1.5, high = 2.5 }
up = { shape = [9, 14], random_uniform = 3, low = 0.1, high = 0.4 }
right = { shape = [9, 14], random = 4 }
systems = 14
size = 9
---*/
// Tridiagonal systems in batches, interleaved or one behind the other by a layout policy; a solver object owns its memory.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <type_traits>
#include <vector>

struct Interleaved {
    int systems, size;
    __host__ __device__ int operator()(int system, int row) const { return row * systems + system; }
};
struct Contiguous {
    int systems, size;
    __host__ __device__ int operator()(int system, int row) const { return system * size + row; }
};

template <typename T> struct CudaFree {
    void operator()(T *p) const { cudaFree(p); }
};
template <typename T> using DevicePtr = std::unique_ptr<T, CudaFree<T>>;
template <typename T> DevicePtr<T> on_device(const T *from, size_t n)
{
    T *p = nullptr;
    cudaMalloc(&p, n * sizeof(T));
    if (from != nullptr)
        cudaMemcpy(p, from, n * sizeof(T), cudaMemcpyHostToDevice);
    return DevicePtr<T>(p);
}

template <typename T, class Layout>
__global__ void thomas(const T *a, const T *b, const T *c, T *d, T *scratch, Layout at)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= at.systems)
        return;
    T factor = T(1) / b[at(s, 0)];
    scratch[at(s, 0)] = c[at(s, 0)] * factor;
    d[at(s, 0)] *= factor;
    for (int i = 1; i < at.size; ++i) {
        const int here = at(s, i), before = at(s, i - 1);
        factor = T(1) / (b[here] - a[here] * scratch[before]);
        scratch[here] = c[here] * factor;
        d[here] = (d[here] - a[here] * d[before]) * factor;
    }
    for (int i = at.size - 2; i >= 0; --i)
        d[at(s, i)] -= scratch[at(s, i)] * d[at(s, i + 1)];
}
template <typename T, class From, class To> __global__ void rearrange(T *out, const T *in, From from, To to)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < from.systems * from.size)
        out[to(k / from.size, k % from.size)] = in[from(k / from.size, k % from.size)];
}

template <typename T> class Solver {
public:
    Solver(int systems, int size) : systems_(systems), size_(size), scratch_(on_device<T>(nullptr, count())) {}
    size_t count() const { return static_cast<size_t>(systems_) * size_; }
    template <class Layout> void run(const T *a, const T *b, const T *c, T *d) const
    {
        static_assert(std::is_trivially_copyable<Layout>::value, "a kernel is given it");
        thomas<<<(systems_ + 7) / 8, 8>>>(a, b, c, d, scratch_.get(), Layout{systems_, size_});
    }
    template <class From, class To> DevicePtr<T> moved(const T *in) const
    {
        auto out = on_device<T>(nullptr, count());
        rearrange<<<(count() + 31) / 32, 32>>>(out.get(), in, From{systems_, size_}, To{systems_, size_});
        return out;
    }

private:
    int systems_, size_;
    DevicePtr<T> scratch_;
};

void solve(const double *low, const double *main_, const double *up, double *right, int systems, int size)
{
    const Solver<double> solver(systems, size);
    const auto n = solver.count();
    auto a = on_device(low, n), b = on_device(main_, n), c = on_device(up, n), d = on_device<double>(right, n);
    solver.run<Interleaved>(a.get(), b.get(), c.get(), d.get());
    auto a2 = solver.moved<Interleaved, Contiguous>(a.get());
    b = solver.moved<Interleaved, Contiguous>(b.get());
    c = solver.moved<Interleaved, Contiguous>(c.get());
    auto d2 = solver.moved<Interleaved, Contiguous>(d.get());
    solver.run<Contiguous>(a2.get(), b.get(), c.get(), d2.get());
    d = solver.moved<Contiguous, Interleaved>(d2.get());
    cudaMemcpy(right, d.get(), n * sizeof(double), cudaMemcpyDeviceToHost);
}

int main(int argc, char **argv)
{
    const int systems = argc > 1 ? atoi(argv[1]) : 32, size = argc > 2 ? atoi(argv[2]) : 16;
    double diagonal = 2.5, norm = 0.0;
    const size_t n = (size_t)systems * size;
    std::vector<double> low(n, 0.3), mid(n, diagonal), up(n, 0.2), right(n);
    for (size_t i = 0; i < n; ++i)
        right[i] = (i % 5) - 2.0;
    auto start = std::chrono::high_resolution_clock::now();
    solve(low.data(), mid.data(), up.data(), right.data(), systems, size);
    auto stop = std::chrono::high_resolution_clock::now();
    for (double r : right)
        norm += r * r;
    printf("norm %g, %g ms\n", norm, std::chrono::duration<double, std::milli>(stop - start).count());
    return 0;
}
