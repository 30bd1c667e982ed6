/*---
function = "price_book"
wrt = ["spot", "volatility", "rate"]
[inputs]
spot = 100.0
volatility = 0.2
rate = 0.03
paths = 70
steps = 3
---*/
// European and Asian options by Monte Carlo: counter-based random numbers, antithetic paths, payoffs as functors.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>
#include <cuda_runtime.h>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/transform_reduce.h>
#include <thrust/functional.h>

namespace mc {

inline void check(cudaError_t e, const char *what)
{
    if (e != cudaSuccess) {
        std::cerr << what << ": " << cudaGetErrorString(e) << std::endl;
        std::exit(EXIT_FAILURE);
    }
}
#define CHECK(x) mc::check((x), #x)

template <typename Real> struct Market {
    Real spot, rate, volatility, maturity;
};

struct Philox {
    uint32_t key;
    __host__ __device__ uint32_t operator()(uint32_t i, uint32_t j) const
    {
        uint32_t x = i * 0x9E3779B9u ^ (j + key) * 0x85EBCA6Bu;
        x ^= x >> 16;
        x *= 0x7feb352du;
        x ^= x >> 15;
        x *= 0x846ca68bu;
        x ^= x >> 16;
        return x;
    }
};

template <typename Real> __host__ __device__ inline Real uniform(uint32_t bits) { return (bits + Real(0.5)) * Real(2.3283064365386963e-10); }

template <typename Real> __host__ __device__ inline Real gauss(const Philox &rng, uint32_t path, uint32_t step)
{
    const Real u = uniform<Real>(rng(path, 2 * step)), v = uniform<Real>(rng(path, 2 * step + 1));
    return sqrt(-2 * log(u)) * cos(Real(6.283185307179586) * v);
}

enum class Style { european, asian };

template <typename Real> struct Call {
    Real strike;
    __host__ __device__ Real operator()(Real s) const { return s > strike ? s - strike : Real(0); }
};
template <typename Real> struct Put {
    Real strike;
    __host__ __device__ Real operator()(Real s) const { return s < strike ? strike - s : Real(0); }
};

template <typename Real, Style style, class Payoff>
__global__ void simulate(Real *values, Market<Real> m, Payoff payoff, Philox rng, int paths, int steps)
{
    const int path = blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= paths)
        return;
    const Real dt = m.maturity / steps, drift = (m.rate - Real(0.5) * m.volatility * m.volatility) * dt;
    const Real diffusion = m.volatility * sqrt(dt);
    Real result = 0;
    for (int sign = -1; sign <= 1; sign += 2) {
        Real s = m.spot, mean = 0;
        for (int k = 0; k < steps; ++k) {
            s *= exp(drift + diffusion * sign * gauss<Real>(rng, path, k));
            if constexpr (style == Style::asian)
                mean += s / steps;
        }
        if constexpr (style == Style::asian)
            result += payoff(mean);
        else
            result += payoff(s);
    }
    values[path] = Real(0.5) * result * exp(-m.rate * m.maturity);
}

template <typename Real> class Pricer {
public:
    virtual ~Pricer() = default;
    virtual Real price(const Market<Real> &market) = 0;
    virtual const char *name() const = 0;
};

template <typename Real, Style style, class Payoff> class MonteCarlo : public Pricer<Real> {
public:
    MonteCarlo(Payoff payoff, int paths, int steps) : payoff_(payoff), steps_(steps), values_(paths) {}
    Real price(const Market<Real> &market) override
    {
        const int paths = static_cast<int>(values_.size()), threads = 64;
        simulate<Real, style><<<(paths + threads - 1) / threads, threads>>>(
            thrust::raw_pointer_cast(values_.data()), market, payoff_, Philox{77u}, paths, steps_);
        CHECK(cudaGetLastError());
        return thrust::reduce(values_.begin(), values_.end(), Real(0), thrust::plus<Real>()) / paths;
    }
    const char *name() const override { return style == Style::asian ? "asian" : "european"; }

private:
    Payoff payoff_;
    int steps_;
    thrust::device_vector<Real> values_;
};

template <typename Real> Real black_scholes(const Market<Real> &m, Real strike)
{
    auto normal = [](Real x) { return Real(0.5) * erfc(-x / std::sqrt(Real(2))); };
    const Real d1 = (std::log(m.spot / strike) + (m.rate + m.volatility * m.volatility / 2) * m.maturity) / (m.volatility * std::sqrt(m.maturity));
    const Real d2 = d1 - m.volatility * std::sqrt(m.maturity);
    return m.spot * normal(d1) - strike * std::exp(-m.rate * m.maturity) * normal(d2);
}

}  // namespace mc

using namespace mc;

double price_book(double spot, double volatility, double rate, int paths, int steps)
{
    const double strike = 105.0;
    const Market<double> market{spot, rate, volatility, 1.0};

    std::vector<std::unique_ptr<Pricer<double>>> pricers;
    pricers.push_back(std::make_unique<MonteCarlo<double, Style::european, Call<double>>>(Call<double>{strike}, paths, steps));
    pricers.push_back(std::make_unique<MonteCarlo<double, Style::asian, Call<double>>>(Call<double>{strike}, paths, steps));
    pricers.push_back(std::make_unique<MonteCarlo<double, Style::asian, Put<double>>>(Put<double>{strike}, paths, steps));

    double book = 0.0;
    for (auto &pricer : pricers) {
        const auto t0 = std::chrono::steady_clock::now();
        const double value = pricer->price(market);
        const auto t1 = std::chrono::steady_clock::now();
        std::cout << std::setw(10) << pricer->name() << " " << std::fixed << std::setprecision(4) << value << "  "
                  << std::chrono::duration_cast<std::chrono::microseconds>(t1 - t0).count() << " us\n";
        book += value;
    }
    const double exact = black_scholes(market, strike);
    std::printf("exact %.4f book %.4f\n", exact, book);
    return book;
}

int main(int argc, char *argv[])
{
    std::unordered_map<std::string, int> counts = {{"paths", 256}, {"steps", 4}};
    for (int i = 1; i < argc; i++) {
        const std::string argument(argv[i]);
        const size_t at = argument.find('=');
        if (at == std::string::npos || counts.find(argument.substr(0, at)) == counts.end()) {
            std::cerr << "usage: " << argv[0] << " [paths=N] [steps=N]\n";
            return 1;
        }
        counts[argument.substr(0, at)] = std::stoi(argument.substr(at + 1));
    }
    double book = price_book(100.0, 0.2, 0.03, counts["paths"], counts["steps"]);
    return book > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
