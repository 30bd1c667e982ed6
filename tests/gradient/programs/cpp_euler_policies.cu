/*---
function = "shock_tube"
wrt = ["left", "right"]
of = ["density"]
[inputs]
left = { values = [1.0, 0.1, 1.2] }
right = { values = [0.3, -0.05, 0.4] }
density = { zeros = [30] }
n = 30
steps = 4
---*/
// Euler's equations by finite volumes: fluxes and slope limiters are policies, states are std::array with operators.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <vector>

namespace gas {
constexpr double gamma = 1.4;
using State = std::array<double, 3>;  // density, momentum, energy

__host__ __device__ inline State operator+(const State &a, const State &b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
__host__ __device__ inline State operator-(const State &a, const State &b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
__host__ __device__ inline State operator*(double s, const State &a) { return {s * a[0], s * a[1], s * a[2]}; }

__host__ __device__ inline double pressure(const State &u) { return (gamma - 1.0) * (u[2] - 0.5 * u[1] * u[1] / u[0]); }
__host__ __device__ inline double sound(const State &u) { return sqrt(gamma * pressure(u) / u[0]); }
__host__ __device__ inline State flux(const State &u)
{
    const double v = u[1] / u[0], p = pressure(u);
    return {u[1], u[1] * v + p, (u[2] + p) * v};
}
__host__ __device__ inline State conserved(double rho, double v, double p)
{
    return {rho, rho * v, p / (gamma - 1.0) + 0.5 * rho * v * v};
}

struct Rusanov {
    __device__ static State at(const State &l, const State &r)
    {
        const double s = fmax(fabs(l[1] / l[0]) + sound(l), fabs(r[1] / r[0]) + sound(r));
        return 0.5 * (flux(l) + flux(r)) - 0.5 * s * (r - l);
    }
};
struct Hll {
    __device__ static State at(const State &l, const State &r)
    {
        const double sl = fmin(l[1] / l[0] - sound(l), r[1] / r[0] - sound(r));
        const double sr = fmax(l[1] / l[0] + sound(l), r[1] / r[0] + sound(r));
        if (sl >= 0)
            return flux(l);
        if (sr <= 0)
            return flux(r);
        return 1.0 / (sr - sl) * (sr * flux(l) - sl * flux(r) + sl * sr * (r - l));
    }
};
struct Minmod {
    __device__ static double at(double a, double b) { return a * b <= 0 ? 0.0 : fabs(a) < fabs(b) ? a : b; }
};
struct VanAlbada {
    __device__ static double at(double a, double b) { return (a * b * (a + b) + 1e-9) / (a * a + b * b + 1e-6); }
};
}  // namespace gas

template <class Flux, class Limiter> class Scheme {
public:
    static constexpr int threads = 16;
    __device__ static gas::State slope(const gas::State *u, int i, int n)
    {
        using gas::operator-;
        const gas::State below = u[i] - u[i > 0 ? i - 1 : 0], above = u[i < n - 1 ? i + 1 : n - 1] - u[i];
        gas::State s;
        for (std::size_t k = 0; k < s.size(); ++k)
            s[k] = Limiter::at(below[k], above[k]);
        return s;
    }
    __device__ static gas::State face(const gas::State *u, int i, int n)
    {
        const int l = i > 0 ? i - 1 : 0, r = i < n ? i : n - 1;
        using gas::operator+, gas::operator-, gas::operator*;
        return Flux::at(u[l] + 0.5 * slope(u, l, n), u[r] - 0.5 * slope(u, r, n));
    }
};
template <class S> __global__ void advance(gas::State *out, const gas::State *in, int n, double ratio)
{
    using namespace gas;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] - ratio * (S::face(in, i + 1, n) - S::face(in, i, n));
}

void shock_tube(double *density, const double *left, const double *right, int n, int steps)
{
    std::vector<gas::State> u(n);
    for (int i = 0; i < n; ++i) {
        const double *side = i < n / 2 ? left : right;
        u[i] = gas::conserved(side[0], side[1] + 0.01 * i, side[2]);
    }
    gas::State *now = nullptr, *next = nullptr;
    cudaMalloc(&now, n * sizeof(gas::State));
    cudaMalloc(&next, n * sizeof(gas::State));
    cudaMemcpy(now, u.data(), n * sizeof(gas::State), cudaMemcpyHostToDevice);
    for (int s = 0; s < steps; ++s) {
        if (s % 2 == 0)
            advance<Scheme<gas::Hll, gas::VanAlbada>><<<(n + 15) / 16, 16>>>(next, now, n, 0.2);
        else
            advance<Scheme<gas::Rusanov, gas::Minmod>><<<(n + 15) / 16, 16>>>(next, now, n, 0.2);
        std::swap(now, next);
    }
    cudaMemcpy(u.data(), now, n * sizeof(gas::State), cudaMemcpyDeviceToHost);
    std::transform(u.begin(), u.end(), density, [](const gas::State &s) { return s.front(); });
    cudaFree(now);
    cudaFree(next);
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? std::atoi(argv[1]) : 100;
    double pressure = 1.0;
    std::vector<double> density(n);
    const double left[] = {1.0, 0.0, pressure}, right[] = {0.125, 0.0, 0.1};
    shock_tube(density.data(), left, right, n, 6);
    double centre = 0;
    for (int i = 0; i < n; ++i)
        centre += i * density[i];
    std::cout << std::setprecision(12) << centre << "\n";
}
