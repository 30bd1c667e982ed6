/*---
function = "f"
wrt = ["x"]
[inputs]
x = { shape = [9], random = 1 }
n = 9
---*/
// Deleters that keep something: a std::unique_ptr ends with the one that it was given, and moves it along.
#include <memory>
struct Free {
    int *freed;
    void operator()(double *p) const
    {
        cudaFree(p);
        if (freed)
            ++*freed;
    }
};
__global__ void sq(const double *a, double *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        b[i] = a[i] * a[i] * a[i];
}
double f(const double *x, int n)
{
    int freed = 0;
    double s = 0;
    {
        double *raw;
        cudaMalloc(&raw, n * sizeof(double));
        std::unique_ptr<double, Free> a(raw, Free{&freed});
        cudaMalloc(&raw, n * sizeof(double));
        std::unique_ptr<double[], Free> b(raw, Free{&freed});
        cudaMemcpy(a.get(), x, n * sizeof(double), cudaMemcpyHostToDevice);
        sq<<<2, 8>>>(a.get(), b.get(), n);
        std::unique_ptr<double, Free> c = std::move(a);
        auto h = std::make_unique<double[]>(n);
        cudaMemcpy(h.get(), b.get(), n * sizeof(double), cudaMemcpyDeviceToHost);
        for (int i = 0; i < n; ++i)
            s += h[i];
    }
    return s * freed;
}
