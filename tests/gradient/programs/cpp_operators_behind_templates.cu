/*---
function = "f"
wrt = ["x"]
[inputs]
x = { shape = [6], random = 1 }
n = 6
which = 1
---*/
// A solver template that owns an operator of a hierarchy of templates, of which the run tells the class.
#include <cuda_runtime.h>
#include <memory>
#include <vector>
template <typename T> __global__ void ax(const T *x, T *y, T a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = a * x[i] * x[i]; }
template <typename T> struct Operator {
    virtual ~Operator() {}
    virtual void apply(const T *x, T *y, int n) const = 0;
};
template <typename T> struct Scale : Operator<T> {
    T a; explicit Scale(T a_) : a(a_) {}
    void apply(const T *x, T *y, int n) const override { ax<T><<<2, 4>>>(x, y, a, n); }
};
template <typename T> struct Twice : Operator<T> {
    T b;
    explicit Twice(T b_) : b(b_) {}
    void apply(const T *x, T *y, int n) const override { ax<T><<<1, 8>>>(x, y, 2 * b, n); }
};
template <typename T> class Solver {
public:
    Solver(std::unique_ptr<Operator<T>> A, int n) : A_(std::move(A)), n_(n) { cudaMalloc(&y_, n * sizeof(T)); }
    ~Solver() { cudaFree(y_); }
    void solve(T *x) { for (int i = 0; i < 2; ++i) { A_->apply(x, y_, n_); cudaMemcpy(x, y_, n_ * sizeof(T), cudaMemcpyDeviceToDevice); } }
private:
    std::unique_ptr<Operator<T>> A_;
    int n_;
    T *y_;
};
double f(const double *x, int n, int which)
{
    double *d;
    cudaMalloc(&d, n * sizeof(double));
    cudaMemcpy(d, x, n * sizeof(double), cudaMemcpyHostToDevice);
    std::unique_ptr<Operator<double>> A;
    if (which) A = std::make_unique<Scale<double>>(1.5);
    else A = std::make_unique<Twice<double>>(0.5);
    Solver<double> s(std::move(A), n);
    s.solve(d);
    std::vector<double> h(n);
    cudaMemcpy(h.data(), d, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d);
    double r = 0;
    for (double v : h) r += v;
    return r;
}
