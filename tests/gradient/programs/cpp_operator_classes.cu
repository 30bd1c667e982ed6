/*---
function = "solve"
wrt = ["b", "values"]
of = ["x"]
[inputs]
values = { shape = [19], random = 1 }
b = { shape = [7], random = 2 }
x = { zeros = [7] }
n = 7
sweeps = 3
---*/
// A header-only linear algebra in the style of sparse libraries: an operator base that a matrix and a scaled operator
// derive from (CRTP), a preconditioner as a template of templates, row views, a smoother that owns its memory.
#include <utility>

template <class Derived, class T> class Operator {
public:
    const Derived &self() const { return static_cast<const Derived &>(*this); }
    void residual(const T *x, const T *b, T *r) const { self().apply(x, b, r); }
    int rows() const { return rows_; }

protected:
    explicit Operator(int rows) : rows_(rows) {}
    int rows_;
};
template <class T> __global__ void tridiagonal(const T *v, const T *x, const T *b, T *r, int n, T scale)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    T sum = (T(4) + v[3 * i % 19]) * x[i];
    if (i > 0)
        sum += v[(3 * i - 1) % 19] * x[i - 1];
    if (i + 1 < n)
        sum += v[(3 * i + 1) % 19] * x[i + 1];
    r[i] = b[i] - scale * sum;
}
template <class T> __global__ void corrected(T *x, const T *r, const T *v, T omega, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] += omega * r[i] / (T(4) + v[3 * i % 19]);
}
template <class T> class Tridiagonal : public Operator<Tridiagonal<T>, T> {
public:
    Tridiagonal(const T *host, int n) : Operator<Tridiagonal<T>, T>(n)
    {
        cudaMalloc(&values_, 19 * sizeof(T));
        cudaMemcpy(values_, host, 19 * sizeof(T), cudaMemcpyHostToDevice);
    }
    ~Tridiagonal() { cudaFree(values_); }
    Tridiagonal(const Tridiagonal &) = delete;
    void apply(const T *x, const T *b, T *r) const
    {
        tridiagonal<<<(this->rows_ + 3) / 4, 4>>>(values_, x, b, r, this->rows_, scale);
    }
    const T *values() const { return values_; }
    T scale = T(1);

private:
    T *values_;
};
template <class T, template <class> class A> class Jacobi {
    const A<T> &a_;
    T *r_;
    T omega_ = T(0.6);

public:
    explicit Jacobi(const A<T> &a) : a_(a) { cudaMalloc(&r_, a.rows() * sizeof(T)); }
    ~Jacobi() { cudaFree(r_); }
    void sweep(T *x, const T *b) const
    {
        a_.residual(x, b, r_);
        corrected<<<2, 2>>>(x, r_, a_.values(), omega_, a_.rows());
    }
};

void solve(double *values, double *b, double *x, int n, int sweeps)
{
    double *db, *dx;
    cudaMalloc(&db, n * sizeof(double));
    cudaMalloc(&dx, n * sizeof(double));
    cudaMemcpy(db, b, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemset(dx, 0, n * sizeof(double));
    {
        Tridiagonal<double> a(values, n);
        a.scale = 1.1;
        const Jacobi<double, Tridiagonal> smoother(a);
        for (int s = 0; s < sweeps; ++s)
            smoother.sweep(dx, db);
    }
    cudaMemcpy(x, dx, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(db);
    cudaFree(dx);
}
