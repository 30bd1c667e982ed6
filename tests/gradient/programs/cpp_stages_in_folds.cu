/*---
function = "march"
wrt = ["u", "nu"]
of = ["u"]
[inputs]
u = { shape = [26], random = 1 }
nu = 0.7
n = 26
steps = 3
---*/
// Runge-Kutta stages as instances of one kernel, launched by a fold, with exchanges between commas; tables made by
// constexpr functions.
#include <array>
#include <utility>
namespace scheme
{
template <std::size_t N> constexpr std::array<double, N> binomial()
{
    std::array<double, N> c{};
    c[0] = 1;
    for (std::size_t k = 1; k < N; ++k)
        c[k] = c[k - 1] * double(N - k) / double(k);
    return c;
}
inline constexpr auto kStencil = binomial<5>();
constexpr double kSum = kStencil[0] + kStencil[1] + kStencil[2] + kStencil[3] + kStencil[4];
template <int Stages> struct RungeKutta;
template <> struct RungeKutta<3> {
    static constexpr double a[3] = {0.0, 0.75, 1.0 / 3.0};
    static constexpr double b[3] = {1.0, 0.25, 2.0 / 3.0};
};
}
__constant__ double kFlux[3] = {0.5, -0.25, 0.125};
template <class Scheme, int Stage>
__global__ void stage(const double *u0, const double *u, double *out, double nu, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    constexpr auto weight = scheme::binomial<5>();
    double rhs = 0;
#pragma unroll
    for (int k = 0; k < 5; ++k)
        rhs += weight[k] * u[(i + k - 2 + n) % n];
    rhs = nu * (rhs / scheme::kSum - u[i]) + kFlux[Stage] * u[i] * u[(i + 1) % n];
    out[i] = Scheme::a[Stage] * u0[i] + Scheme::b[Stage] * (u[i] + rhs);
}
template <int... S> void step(double *(&b)[3], double nu, int n, std::integer_sequence<int, S...>)
{
    using R = scheme::RungeKutta<sizeof...(S)>;
    ((stage<R, S><<<(n + 7) / 8, 8>>>(b[0], S == 0 ? b[0] : b[1], b[2], nu, n), std::swap(b[1], b[2])), ...);
    std::swap(b[0], b[1]);
}
void march(double *u, double nu, int n, int steps)
{
    double *b[3];
    for (double *&p : b)
        cudaMalloc(&p, n * sizeof(double));
    cudaMemcpy(b[0], u, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int s = 0; s < steps; ++s)
        step(b, nu, n, std::make_integer_sequence<int, 3>{});
    cudaMemcpy(u, b[0], n * sizeof(double), cudaMemcpyDeviceToHost);
    for (auto p : b)
        cudaFree(p);
}
