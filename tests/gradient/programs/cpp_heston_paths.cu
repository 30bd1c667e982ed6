/*---
function = "price"
wrt = ["m"]
of = ["prices"]
[inputs]
m = { spot = 100.0, rate = 0.03, kappa = 1.5, theta = 0.05, sigma = 0.3, rho = -0.6, v0 = 0.04 }
prices = { zeros = [3] }
paths = 70
steps = 4
---*/
// Heston's model by Monte Carlo: payoffs are classes that a kernel takes as template argument, a generator of its own.
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Market {
    double spot, rate, kappa, theta, sigma, rho, v0;
};

class Generator {
    uint64_t state;

public:
    __host__ __device__ explicit Generator(uint64_t seed) : state(seed * 6364136223846793005ULL + 1442695040888963407ULL)
    {
        next();
    }
    __host__ __device__ uint32_t next()
    {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        const uint32_t shifted = static_cast<uint32_t>(((state >> 18u) ^ state) >> 27u);
        const uint32_t rotate = static_cast<uint32_t>(state >> 59u);
        return (shifted >> rotate) | (shifted << ((-rotate) & 31));
    }
    __host__ __device__ double uniform() { return (next() + 0.5) * (1.0 / 4294967296.0); }
    __host__ __device__ void normals(double &a, double &b)
    {
        const double r = sqrt(-2.0 * log(uniform())), angle = 2.0 * M_PI * uniform();
        a = r * cos(angle);
        b = r * sin(angle);
    }
};

struct Call {
    double strike;
    struct State {};
    __host__ __device__ State begin(double) const { return {}; }
    __host__ __device__ void see(State &, double) const {}
    __host__ __device__ double pay(const State &, double s, int) const { return s > strike ? s - strike : 0.0; }
};
struct Asian {
    double strike;
    struct State {
        double sum;
    };
    __host__ __device__ State begin(double) const { return {0.0}; }
    __host__ __device__ void see(State &a, double s) const { a.sum += s; }
    __host__ __device__ double pay(const State &a, double, int steps) const { return fmax(a.sum / steps - strike, 0.0); }
};
struct Lookback {
    struct State {
        double least;
    };
    __host__ __device__ State begin(double s) const { return {s}; }
    __host__ __device__ void see(State &a, double s) const { a.least = fmin(a.least, s); }
    __host__ __device__ double pay(const State &a, double s, int) const { return s - a.least; }
};

template <class Payoff>
__global__ __launch_bounds__(128) void simulate(double *sum, const Market m, const Payoff payoff, int paths, int steps, double dt)
{
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < paths; p += gridDim.x * blockDim.x) {
        Generator random(p);
        double x = log(m.spot), v = m.v0;
        auto seen = payoff.begin(m.spot);
        const double root = sqrt(1.0 - m.rho * m.rho);
        for (int i = 0; i < steps; ++i) {
            double z1, z2;
            random.normals(z1, z2);
            const double w = m.rho * z1 + root * z2, positive = v > 0.0 ? v : 0.0, deviation = sqrt(positive * dt + 1e-12);
            x += (m.rate - 0.5 * positive) * dt + deviation * z1;
            v += m.kappa * (m.theta - positive) * dt + m.sigma * deviation * w;
            payoff.see(seen, exp(x));
        }
        atomicAdd(sum, exp(-m.rate * dt * steps) * payoff.pay(seen, exp(x), steps) / paths);
    }
}

template <class Payoff> double value(const Market &m, const Payoff &payoff, int paths, int steps)
{
    double *sum, result = 0.0;
    cudaMalloc(&sum, sizeof(double));
    cudaMemcpy(sum, &result, sizeof(double), cudaMemcpyHostToDevice);
    simulate<<<2, 16>>>(sum, m, payoff, paths, steps, 1.0 / steps);
    cudaMemcpy(&result, sum, sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(sum);
    return result;
}

void price(double *prices, Market m, int paths, int steps)
{
    prices[0] = value(m, Call{101.0}, paths, steps);
    prices[1] = value(m, Asian{99.0}, paths, steps);
    prices[2] = value(m, Lookback(), paths, steps);
}

int main(int argc, char **argv)
{
    const int paths = argc > 1 ? atoi(argv[1]) : 1000;
    double volatility = 0.25, sum = 0.0;
    double prices[3];
    auto start = std::chrono::steady_clock::now();
    price(prices, Market{100.0, 0.02, 1.0, 0.04, volatility, -0.5, 0.04}, paths, 8);
    auto stop = std::chrono::steady_clock::now();
    for (double p : prices)
        sum += p;
    printf("%f %f %f: %lld us\n", prices[0], prices[1], prices[2],
           (long long)std::chrono::duration_cast<std::chrono::microseconds>(stop - start).count());
    return 0;
}
