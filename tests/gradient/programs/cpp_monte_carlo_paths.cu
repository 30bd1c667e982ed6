/*---
function = "asian_option"
wrt = ["spot", "volatility", "rate"]
[inputs]
spot = 100.0
volatility = 0.25
rate = 0.04
paths = 70
steps = 5
---*/
// Monte Carlo with a generator of the program's own, inactive, as a class with state; payoffs as functors.
#include <cstdint>

class XorShift {
public:
    __device__ explicit XorShift(uint32_t seed) : state_(seed * 747796405u + 2891336453u) {}
    __device__ uint32_t next()
    {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 17;
        state_ ^= state_ << 5;
        return state_;
    }
    __device__ double uniform() { return (next() + 0.5) / 4294967296.0; }
    __device__ double normal()
    {
        const double u = uniform(), v = uniform();
        return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
    }

private:
    uint32_t state_;
};

struct Market {
    double spot, volatility, rate;
    [[nodiscard]] __host__ __device__ double drift() const noexcept { return rate - 0.5 * volatility * volatility; }
};

struct ArithmeticCall {
    double strike;
    __device__ double operator()(double mean, [[maybe_unused]] double last) const { return mean > strike ? mean - strike : 0.0; }
};
struct FloatingPut {
    __device__ double operator()(double mean, double last) const { return fmax(mean - last, 0.0); }
};

template <class Payoff> __global__ void simulate(double *sums, Market market, Payoff payoff, int paths, int steps)
{
    __shared__ double block_sum[16];
    const int path = blockIdx.x * blockDim.x + threadIdx.x;
    double value = 0.0;
    if (path < paths) {
        XorShift random(path + 1u);
        const double dt = 1.0 / steps, root = sqrt(dt);
        double s = market.spot, mean = 0.0;
        for (int k = 0; k < steps; ++k) {
            s *= exp(market.drift() * dt + market.volatility * root * random.normal());
            mean += s / steps;
        }
        value = payoff(mean, s);
    }
    block_sum[threadIdx.x] = value;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half >>= 1) {
        if (threadIdx.x < half)
            block_sum[threadIdx.x] += block_sum[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = block_sum[0];
}

double asian_option(double spot, double volatility, double rate, int paths, int steps)
{
    constexpr int threads = 16;
    const int blocks = (paths + threads - 1) / threads;
    const Market market{spot, volatility, rate};
    double *d_sums;
    cudaMalloc(&d_sums, blocks * sizeof(double));
    double total = 0.0;
    double *sums = static_cast<double *>(malloc(blocks * sizeof(double)));
    for (auto kind : {0, 1}) {
        if (kind == 0)
            simulate<<<blocks, threads>>>(d_sums, market, ArithmeticCall{0.97 * 100.0}, paths, steps);
        else
            simulate<<<blocks, threads>>>(d_sums, market, FloatingPut{}, paths, steps);
        cudaMemcpy(sums, d_sums, blocks * sizeof(double), cudaMemcpyDeviceToHost);
        for (int b = 0; b < blocks; ++b)
            total += sums[b];
    }
    free(sums);
    cudaFree(d_sums);
    return exp(-rate) * total / paths;
}
