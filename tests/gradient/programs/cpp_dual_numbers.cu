/*---
function = "newton"
wrt = ["c"]
of = ["root"]
[inputs]
root = { zeros = [9] }
c = { shape = [9], random_uniform = 1, low = 0.5, high = 2.0 }
n = 9
---*/
// Newton's method with dual numbers of the program's own: operator overloads, friends, conversions, std::enable_if.
#include <type_traits>

template <class T> struct Dual {
    T value, slope;
    __host__ __device__ constexpr Dual(T v, T s = T(0)) : value(v), slope(s) {}
    friend __host__ __device__ Dual operator+(const Dual &a, const Dual &b) { return Dual(a.value + b.value, a.slope + b.slope); }
    friend __host__ __device__ Dual operator-(const Dual &a, const Dual &b) { return {a.value - b.value, a.slope - b.slope}; }
    friend __host__ __device__ Dual operator*(const Dual &a, const Dual &b)
    {
        return {a.value * b.value, a.slope * b.value + a.value * b.slope};
    }
    friend __host__ __device__ Dual sin(const Dual &a) { return {::sin(a.value), ::cos(a.value) * a.slope}; }
    friend __host__ __device__ Dual exp(const Dual &a)
    {
        const T e = ::exp(a.value);
        return {e, e * a.slope};
    }
    __host__ __device__ explicit operator T() const { return value; }
};

template <class T> struct is_dual : std::false_type {};
template <class T> struct is_dual<Dual<T>> : std::true_type {};

template <class T, std::enable_if_t<is_dual<T>::value, int> = 0> __device__ double plain(const T &v) { return v.value; }
template <class T, std::enable_if_t<std::is_floating_point_v<T>, int> = 0> __device__ double plain(T v) { return v; }

struct Kepler {
    double c;
    template <class T> __device__ T operator()(const T &x) const { return x - T(0.3) * sin(x) - T(c); }
};
struct Growth {
    double c;
    template <class T> __device__ T operator()(const T &x) const { return exp(x) * x - T(c); }
};

template <class F> __device__ double solve(const F &f, double x, int steps)
{
    for (int k = 0; k < steps; ++k) {
        const Dual<double> y = f(Dual<double>(x, 1.0));
        x -= y.value / y.slope;
    }
    return x + plain(f(x)) - plain(f(Dual<double>{x}));
}

__global__ void roots(double *root, const double *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        root[i] = solve(Kepler{c[i]}, c[i], 4) + 0.5 * solve(Growth{c[i]}, 0.7, 6);
}

void newton(double *root, const double *c, int n)
{
    double *d_root, *d_c;
    cudaMalloc(&d_root, n * sizeof(double));
    cudaMalloc(&d_c, n * sizeof(double));
    cudaMemcpy(d_c, c, n * sizeof(double), cudaMemcpyHostToDevice);
    roots<<<(n + 3) / 4, 4>>>(d_root, d_c, n);
    cudaMemcpy(root, d_root, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_root);
    cudaFree(d_c);
}
