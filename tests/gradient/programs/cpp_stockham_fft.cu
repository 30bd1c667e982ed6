/*---
function = "filtered"
wrt = ["x"]
of = ["y"]
[inputs]
x = { shape = [64], random = 1 }
y = { zeros = [64] }
n = 32
---*/
// A Stockham transform in two buffers that change places, a filter in between, and back: a template of the radix.
#include <chrono>
#include <cmath>
#include <iostream>
#include <utility>
#include <vector>

template <typename T> struct cplx {
    T re, im;
    __host__ __device__ cplx(T r = T(0), T i = T(0)) : re(r), im(i) {}
    __host__ __device__ friend cplx operator+(const cplx &a, const cplx &b) { return {a.re + b.re, a.im + b.im}; }
    __host__ __device__ friend cplx operator-(const cplx &a, const cplx &b) { return {a.re - b.re, a.im - b.im}; }
    __host__ __device__ friend cplx operator*(const cplx &a, const cplx &b)
    {
        return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    }
    __host__ __device__ cplx &operator*=(T s)
    {
        re *= s;
        im *= s;
        return *this;
    }
    __host__ __device__ T norm() const { return re * re + im * im; }
};

template <typename T> __device__ inline cplx<T> twiddle(T angle) { return cplx<T>(cos(angle), sin(angle)); }

template <typename T, int sign>
__global__ void stage(const cplx<T> *__restrict__ in, cplx<T> *__restrict__ out, int n, int span)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n / 2)
        return;
    const int k = t & (span - 1);
    const T angle = sign * T(M_PI) * k / span;
    const cplx<T> a = in[t], b = in[t + n / 2] * twiddle<T>(angle);
    const int j = ((t - k) << 1) + k;
    out[j] = a + b;
    out[j + span] = a - b;
}

template <typename T> __global__ void damp(cplx<T> *x, int n, T cut)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const int f = i <= n / 2 ? i : n - i;
        x[i] *= T(1) / ((T(1) + f * f * cut) * n) + T(0.01) * x[i].norm();
    }
}

template <int sign, typename T> void transform(cplx<T> *&a, cplx<T> *&b, int n)
{
    for (int span = 1; span < n; span *= 2) {
        stage<T, sign><<<(n / 2 + 7) / 8, 8>>>(a, b, n, span);
        std::swap(a, b);
    }
}

void filtered(double *y, const double *x, int n)
{
    using C = cplx<double>;
    std::vector<C> h(n);
    for (int i = 0; i < n; ++i)
        h[i] = C(x[2 * i], x[2 * i + 1]);
    C *a, *b;
    const size_t bytes = n * sizeof(C);
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMemcpy(a, h.data(), bytes, cudaMemcpyHostToDevice);
    transform<-1>(a, b, n);
    damp<<<(n + 15) / 16, 16>>>(a, n, 0.05);
    transform<1>(a, b, n);
    cudaMemcpy(h.data(), a, bytes, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i) {
        y[2 * i] = h[i].re;
        y[2 * i + 1] = h[i].im;
    }
    cudaFree(a);
    cudaFree(b);
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? std::atoi(argv[1]) : 1024;
    double amplitude = 2.0;
    std::vector<double> x(2 * n), y(2 * n);
    for (int i = 0; i < 2 * n; ++i)
        x[i] = amplitude * std::sin(0.7 * i);
    auto t0 = std::chrono::high_resolution_clock::now();
    filtered(y.data(), x.data(), n);
    std::chrono::duration<double> elapsed = std::chrono::high_resolution_clock::now() - t0;
    double energy = 0;
    for (auto v : y)
        energy += v * v;
    std::cout << "energy " << energy << " in " << elapsed.count() << " s\n";
    return 0;
}
