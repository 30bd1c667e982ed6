/*---
function = "f"
wrt = ["x", "a"]
of = ["y"]
[inputs]
y = { zeros = [12] }
x = { shape = [12], random = 6 }
a = 0.8
n = 4
---*/
// Expression templates whose classes stand in each other's arguments, under one base that knows them.
template <class E>
struct Expression {
    __host__ __device__ double operator[](int i) const { return static_cast<const E &>(*this)[i]; }
    __host__ __device__ const E &self() const { return static_cast<const E &>(*this); }
};

struct Vector : Expression<Vector> {
    double v[3];
    __host__ __device__ Vector() {}
    __host__ __device__ explicit Vector(const double *from)
    {
        for (int i = 0; i < 3; ++i) v[i] = from[i];
    }
    template <class E>
    __host__ __device__ Vector(const Expression<E> &e)
    {
        for (int i = 0; i < 3; ++i) v[i] = e[i];
    }
    __host__ __device__ double operator[](int i) const { return v[i]; }
};

template <class L, class R>
struct Sum : Expression<Sum<L, R>> {
    const L &l;
    const R &r;
    __host__ __device__ Sum(const L &l, const R &r) : l(l), r(r) {}
    __host__ __device__ double operator[](int i) const { return l[i] + r[i]; }
};

template <class L, class R>
struct Product : Expression<Product<L, R>> {
    const L &l;
    const R &r;
    __host__ __device__ Product(const L &l, const R &r) : l(l), r(r) {}
    __host__ __device__ double operator[](int i) const { return l[i] * r[i]; }
};

template <class L, class R>
__host__ __device__ Sum<L, R> operator+(const Expression<L> &l, const Expression<R> &r)
{
    return Sum<L, R>(l.self(), r.self());
}
template <class L, class R>
__host__ __device__ Product<L, R> operator*(const Expression<L> &l, const Expression<R> &r)
{
    return Product<L, R>(l.self(), r.self());
}

__global__ void combine(double *y, const double *x, double a, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    Vector u(x + 3 * t), w;
    for (int i = 0; i < 3; ++i) w.v[i] = a * (i + 1);
    Vector s = u * w + u * u * u + w;
    Vector p = (u + w) * (s + u);
    for (int i = 0; i < 3; ++i) y[3 * t + i] = p[i];
}

void f(double *y, const double *x, double a, int n)
{
    combine<<<2, 3>>>(y, x, a, n);
}
