/*---
function = "relax"
wrt = ["x", "b", "w"]
of = ["x"]
[inputs]
x = { shape = [28], random = 1 }
b = { shape = [28], random = 2 }
w = 0.6
n = 7
---*/
// Fixed-size vectors with expression templates, by the curiously recurring template pattern.
template <class E, int N> struct VecExpr {
    __host__ __device__ const E &self() const { return static_cast<const E &>(*this); }
    __host__ __device__ double operator[](int i) const { return self().eval(i); }
};

template <int N> struct Vec : VecExpr<Vec<N>, N> {
    double v[N];
    __host__ __device__ Vec()
    {
        for (int i = 0; i < N; ++i)
            v[i] = 0.0;
    }
    template <class E> __host__ __device__ Vec(const VecExpr<E, N> &e)
    {
        for (int i = 0; i < N; ++i)
            v[i] = e[i];
    }
    __host__ __device__ double eval(int i) const { return v[i]; }
    __host__ __device__ double &at(int i) { return v[i]; }
};

template <class A, class B, int N> struct Sum : VecExpr<Sum<A, B, N>, N> {
    const A &a;
    const B &b;
    __host__ __device__ Sum(const A &a_, const B &b_) : a(a_), b(b_) {}
    __host__ __device__ double eval(int i) const { return a.eval(i) + b.eval(i); }
};

template <class A, int N> struct Scaled : VecExpr<Scaled<A, N>, N> {
    const A &a;
    double s;
    __host__ __device__ Scaled(const A &a_, double s_) : a(a_), s(s_) {}
    __host__ __device__ double eval(int i) const { return s * a.eval(i); }
};

template <class A, class B, int N>
__host__ __device__ Sum<A, B, N> operator+(const VecExpr<A, N> &a, const VecExpr<B, N> &b)
{
    return Sum<A, B, N>(a.self(), b.self());
}
template <class A, int N> __host__ __device__ Scaled<A, N> operator*(double s, const VecExpr<A, N> &a)
{
    return Scaled<A, N>(a.self(), s);
}
template <class A, int N> __host__ __device__ double norm2(const VecExpr<A, N> &a)
{
    double sum = 0.0;
    for (int i = 0; i < N; ++i)
        sum += a[i] * a[i];
    return sum;
}

using Vec4 = Vec<4>;

__global__ void relax_kernel(double *x, const double *b, double w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Vec4 now, rhs;
    for (int k = 0; k < 4; ++k) {
        now.at(k) = x[4 * i + k];
        rhs.at(k) = b[4 * i + k];
    }
    Vec4 next = (1.0 - w) * now + w * rhs;
    const double scale = 1.0 / (1.0 + norm2(next));
    for (int k = 0; k < 4; ++k)
        x[4 * i + k] = scale * next[k];
}

void relax(double *x, const double *b, double w, int n)
{
    double *dx, *db;
    cudaMalloc(&dx, 4 * n * sizeof(double));
    cudaMalloc(&db, 4 * n * sizeof(double));
    cudaMemcpy(dx, x, 4 * n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, 4 * n * sizeof(double), cudaMemcpyHostToDevice);
    for (int sweep = 0; sweep < 3; ++sweep)
        relax_kernel<<<(n + 3) / 4, 4>>>(dx, db, w, n);
    cudaMemcpy(x, dx, 4 * n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(dx);
    cudaFree(db);
}
