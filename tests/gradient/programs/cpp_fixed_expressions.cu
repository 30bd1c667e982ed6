/*---
function = "filter"
wrt = ["states", "noise"]
of = ["states"]
[inputs]
states = { shape = [21, 2], random = 1 }
noise = 0.2
n = 21
steps = 2
---*/
// Kalman filters on matrices of fixed size whose expressions are templates in the style of Eigen, evaluated at the end.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <vector>

#define BOTH __host__ __device__ __forceinline__

template <class D> struct Expression {
    BOTH const D &self() const { return static_cast<const D &>(*this); }
};
template <class L, class R> struct SumOf : Expression<SumOf<L, R>> {
    static constexpr int rows = L::rows, cols = L::cols;
    const L l;
    const R r;
    BOTH SumOf(const L &a, const R &b) : l(a), r(b) { static_assert(L::rows == R::rows && L::cols == R::cols, "shapes"); }
    BOTH double operator()(int i, int j) const { return l(i, j) + r(i, j); }
};
template <class E> struct Scaled : Expression<Scaled<E>> {
    static constexpr int rows = E::rows, cols = E::cols;
    const E e;
    const double s;
    BOTH Scaled(const E &of, double by) : e(of), s(by) {}
    BOTH double operator()(int i, int j) const { return s * e(i, j); }
};
template <class E> struct Transposed : Expression<Transposed<E>> {
    static constexpr int rows = E::cols, cols = E::rows;
    const E e;
    BOTH explicit Transposed(const E &of) : e(of) {}
    BOTH double operator()(int i, int j) const { return e(j, i); }
};
template <class L, class R> struct ProductOf : Expression<ProductOf<L, R>> {
    static constexpr int rows = L::rows, cols = R::cols;
    const L l;
    const R r;
    BOTH ProductOf(const L &a, const R &b) : l(a), r(b) {}
    BOTH double operator()(int i, int j) const
    {
        double sum = 0;
        for (int k = 0; k < L::cols; ++k)
            sum += l(i, k) * r(k, j);
        return sum;
    }
};
template <int R, int C = R> struct Matrix : Expression<Matrix<R, C>> {
    static constexpr int rows = R, cols = C;
    double v[R][C];
    Matrix() = default;
    template <class E> BOTH Matrix(const Expression<E> &e) { *this = e; }
    template <class E> BOTH Matrix &operator=(const Expression<E> &e)
    {
        const E &given = e.self();
        for (int i = 0; i < R; ++i)
            for (int j = 0; j < C; ++j)
                v[i][j] = given(i, j);
        return *this;
    }
    BOTH double operator()(int i, int j) const { return v[i][j]; }
    BOTH double &operator()(int i, int j) { return v[i][j]; }
    BOTH Transposed<Matrix> transpose() const { return Transposed<Matrix>(*this); }
    static BOTH Matrix identity()
    {
        Matrix m;
        for (int i = 0; i < R; ++i)
            for (int j = 0; j < C; ++j)
                m(i, j) = i == j ? 1.0 : 0.0;
        return m;
    }
};
template <class L, class R> BOTH SumOf<L, R> operator+(const Expression<L> &l, const Expression<R> &r)
{
    return SumOf<L, R>(l.self(), r.self());
}
template <class L, class R> BOTH auto operator-(const Expression<L> &l, const Expression<R> &r)
{
    return SumOf<L, Scaled<R>>(l.self(), Scaled<R>(r.self(), -1.0));
}
template <class E> BOTH Scaled<E> operator*(double s, const Expression<E> &e) { return Scaled<E>(e.self(), s); }
template <class L, class R> BOTH ProductOf<L, R> operator*(const Expression<L> &l, const Expression<R> &r)
{
    return ProductOf<L, R>(l.self(), r.self());
}
BOTH Matrix<1> inverse(const Matrix<1> &m)
{
    Matrix<1> out;
    out(0, 0) = 1.0 / m(0, 0);
    return out;
}

__global__ void kalman(double *states, double noise, int n, int steps)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n)
        return;
    Matrix<2, 1> x;
    for (int i = 0; i < 2; ++i)
        x(i, 0) = states[2 * t + i];
    Matrix<2> F = Matrix<2>::identity(), P = 0.5 * Matrix<2>::identity();
    F(0, 1) = 0.1;
    Matrix<1, 2> H;
    H(0, 0) = 1.0;
    H(0, 1) = 0.05 * (t % 3);
    for (int s = 0; s < steps; ++s) {
        x = Matrix<2, 1>(F * x);
        P = Matrix<2>(F * Matrix<2>(P * F.transpose()) + noise * Matrix<2>::identity());
        Matrix<1> z;
        z(0, 0) = sin(0.3 * s + t);
        const Matrix<2, 1> PH = P * H.transpose();
        const Matrix<1> S = H * PH + 2.0 * noise * Matrix<1>::identity();
        const Matrix<2, 1> K = PH * inverse(S);
        const Matrix<1> y = z - H * x;
        x = Matrix<2, 1>(x + K * y);
        P = Matrix<2>(P - K * (H * P));
    }
    for (int i = 0; i < 2; ++i)
        states[2 * t + i] = x(i, 0) * (1.0 + P(i, i));
}

void filter(double *states, double noise, int n, int steps)
{
    double *d;
    cudaMalloc(&d, 2 * n * sizeof(double));
    cudaMemcpy(d, states, 2 * n * sizeof(double), cudaMemcpyHostToDevice);
    kalman<<<dim3((n + 15) / 16), dim3(16)>>>(d, noise, n, steps);
    cudaMemcpy(states, d, 2 * n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d);
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? std::atoi(argv[1]) : 100, repeat = argc > 2 ? std::atoi(argv[2]) : 1;
    double noise = 0.3, total = 0.0;
    std::vector<double> states(2 * n);
    for (size_t i = 0; i < states.size(); ++i)
        states[i] = 0.01 * static_cast<double>(i % 17);
    const auto start = std::chrono::steady_clock::now();
    for (int r = 0; r < repeat; ++r)
        filter(states.data(), noise, n, 3);
    const auto end = std::chrono::steady_clock::now();
    const double time = std::chrono::duration_cast<std::chrono::microseconds>(end - start).count();
    for (auto s : states)
        total += s * s;
    std::printf("total %f, %f (us)\n", total, time / repeat);
}
