/*---
function = "simulate"
wrt = ["y", "rate"]
of = ["y", "sums"]
[inputs]
y = { shape = [13], random = 2 }
sums = { zeros = [2] }
rate = 0.6
n = 13
---*/
// C++20: concepts that choose overloads and methods, constraints on kernels and functors, requires in if constexpr.
template <class F, class T>
concept Field = requires(const F f, T t) {
    { f(t) } -> std::convertible_to<T>;
};
template <class S>
concept HasError = requires(const S s) { s.error; };

struct Euler {
    static constexpr int stages = 1;
    template <std::floating_point T, Field<T> F> __host__ __device__ T step(T y, T h, const F &f) const { return y + h * f(y); }
};
struct Midpoint {
    double error = 0.01;
    template <std::floating_point T, Field<T> F> __host__ __device__ T step(T y, T h, const F &f) const
    {
        return y + h * f(y + T(0.5) * h * f(y));
    }
};
template <class T>
    requires std::floating_point<T>
struct Logistic {
    T rate;
    __host__ __device__ T operator()(T y) const { return rate * y * (T(1) - y); }
    __host__ __device__ T at_rest() const requires(sizeof(T) == 8) { return T(1); }
    __host__ __device__ T at_rest() const requires(sizeof(T) < 8) { return T(0); }
};

template <std::integral T> __host__ __device__ double weight(T i) { return 1.0 / (1 + i); }
template <std::floating_point T> __host__ __device__ double weight(T x) { return x * x; }

template <class S, Field<double> F> __global__ void advance(double *y, S scheme, F field, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double v = scheme.step(y[i], 0.1, field);
    if constexpr (HasError<S>)
        v += scheme.error * weight(v);
    if constexpr (requires { S::stages; })
        v -= 0.1 * S::stages * weight(i) * v;
    y[i] = v;
}

void simulate(double *y, double *sums, double rate, int n)
{
    const Logistic<double> field{rate};
    advance<<<(n + 3) / 4, 4>>>(y, Euler{}, field, n);
    cudaMemcpy(sums, y, sizeof(double), cudaMemcpyDeviceToDevice);
    advance<<<(n + 3) / 4, 4>>>(y, Midpoint{}, field, n);
    auto square = [](std::floating_point auto v) { return v * v; };
    double first;
    cudaMemcpy(&first, y + 1, sizeof(double), cudaMemcpyDeviceToHost);
    first = square(first) + field.at_rest();
    cudaMemcpy(sums + 1, &first, sizeof(double), cudaMemcpyHostToDevice);
}
