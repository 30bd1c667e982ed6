/*---
function = "f"
wrt = ["x"]
[inputs]
x = { shape = [5], random = 1 }
n = 5
---*/
// What a lambda does at the end of a scope, by a class template for its type: also where a loop is left, and moved.
#include <memory>
#include <utility>
template <class F> class Guard {
public:
    explicit Guard(F g) : f(std::move(g)), armed(true) {}
    Guard(Guard &&o) : f(std::move(o.f)), armed(o.armed) { o.armed = false; }
    Guard(const Guard &) = delete;
    ~Guard() { if (armed) f(); }
    void dismiss() { armed = false; }
private:
    F f;
    bool armed;
};
__global__ void sq(const double *a, double *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = a[i] * a[i] * a[i];
}
double f(const double *x, int n)
{
    double total = 0;
    for (int k = 0; k < 3; ++k) {
        double *d = nullptr, *e = nullptr;
        cudaMalloc(&d, n * sizeof(double)); cudaMalloc(&e, n * sizeof(double));
        const auto cleanup = [&] { cudaFree(d); cudaFree(e); };
        Guard<decltype(cleanup)> guard(cleanup);
        if (k == 2) { break; }
        cudaMemcpy(d, x, n * sizeof(double), cudaMemcpyHostToDevice);
        sq<<<2, 4>>>(d, e, n);
        double h[5];
        cudaMemcpy(h, e, n * sizeof(double), cudaMemcpyDeviceToHost);
        for (int i = 0; i < n; ++i) total += h[i] * (k + 1);
    }
    auto hostdel = [](double *p) { delete[] p; };
    std::unique_ptr<double[], decltype(hostdel)> w(new double[2], hostdel);
    w[0] = total; w[1] = 2 * total * total;
    auto v = std::move(w);
    return v[1] + v[0];
}
