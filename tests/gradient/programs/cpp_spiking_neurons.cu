/*---
function = "simulate"
wrt = ["weights", "current"]
of = ["rates"]
[inputs]
weights = { shape = [20, 20], random_uniform = 1, low = 0.0, high = 0.3 }
current = { shape = [20], random_uniform = 2, low = 0.8, high = 1.6 }
rates = { zeros = [20] }
n = 20
steps = 6
---*/
// Neurons with a smooth threshold: models are classes by CRTP, synapses a warp each, state in a struct of arrays, Langevin
// noise from a counter.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

template <class Model> struct Neuron {
    __device__ void advance(double &v, double &w, double input, double dt) const
    {
        const Model &m = static_cast<const Model &>(*this);
        const double dv = m.voltage(v, w, input), dw = m.recovery(v, w);
        v += dt * dv;
        w += dt * dw;
    }
    __device__ double fires(double v) const
    {
        return 1.0 / (1.0 + exp(-(v - static_cast<const Model *>(this)->threshold()) * Model::sharpness));
    }
};
struct FitzHugh : Neuron<FitzHugh> {
    static constexpr double sharpness = 4.0;
    double a = 0.7, b = 0.8, tau = 12.5;
    __device__ double voltage(double v, double w, double i) const { return v - v * v * v / 3.0 - w + i; }
    __device__ double recovery(double v, double w) const { return (v + a - b * w) / tau; }
    __device__ double threshold() const { return 0.5; }
};
struct Leaky : Neuron<Leaky> {
    static constexpr double sharpness = 6.0;
    double leak, rest;
    __device__ Leaky(double l, double r) : leak(l), rest(r) {}
    __device__ double voltage(double v, double, double i) const { return -leak * (v - rest) + i; }
    __device__ double recovery(double, double w) const { return -0.1 * w; }
    __device__ double threshold() const { return 1.0 + rest; }
};

struct State {
    double *v, *w, *spikes, *input;
};

__host__ __device__ inline double noise(std::uint32_t cell, std::uint32_t step)
{
    std::uint32_t h = cell * 0x9E3779B9u ^ (step + 0x7F4A7C15u) * 0x85EBCA6Bu;
    h ^= h >> 16;
    h *= 0xC2B2AE35u;
    h ^= h >> 13;
    return (h & 0xFFFFFF) / double(0x1000000) - 0.5;
}

__global__ void synapses(State s, const double *weights, const double *current, int n)
{
    const int row = blockIdx.x, lane = threadIdx.x;
    double sum = 0.0;
    for (int j = lane; j < n; j += warpSize)
        sum += weights[row * n + j] * s.spikes[j];
    for (int o = warpSize / 2; o > 0; o >>= 1)
        sum += __shfl_down_sync(0xffffffffu, sum, o);
    if (lane == 0)
        s.input[row] = current[row] + sum;
}
template <class Model> __global__ void advance(State s, Model model, int first, int last, int step, double dt)
{
    const int i = first + blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= last)
        return;
    double &v = s.v[i], &w = s.w[i];
    model.advance(v, w, s.input[i] + 0.1 * noise(i, step), dt);
    s.spikes[i] = model.fires(v);
}
__global__ void advance_leaky(State s, int first, int last, int step, double dt)
{
    const int i = first + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < last) {
        const Leaky model(0.2 + 0.01 * (i % 3), -0.1);
        model.advance(s.v[i], s.w[i], s.input[i] + 0.1 * noise(i, step), dt);
        s.spikes[i] = model.fires(s.v[i]);
    }
}

void simulate(double *rates, const double *weights, const double *current, int n, int steps)
{
    State s;
    double *dw, *dc;
    for (double **p : {&s.v, &s.w, &s.spikes, &s.input}) {
        cudaMalloc(p, n * sizeof(double));
        cudaMemset(*p, 0, n * sizeof(double));
    }
    cudaMalloc(&dw, n * n * sizeof(double));
    cudaMalloc(&dc, n * sizeof(double));
    cudaMemcpy(dw, weights, n * n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dc, current, n * sizeof(double), cudaMemcpyHostToDevice);
    const int half = n / 2;
    for (int t = 0; t < steps; ++t) {
        synapses<<<n, 32>>>(s, dw, dc, n);
        advance<<<(half + 15) / 16, 16>>>(s, FitzHugh{}, 0, half, t, 0.2);
        advance_leaky<<<(n - half + 15) / 16, 16>>>(s, half, n, t, 0.2);
    }
    cudaMemcpy(rates, s.spikes, n * sizeof(double), cudaMemcpyDeviceToHost);
    for (double *p : {s.v, s.w, s.spikes, s.input, dw, dc})
        cudaFree(p);
}

int main(int argc, char **argv)
{
    int n = 16;
    for (int i = 1; i + 1 < argc; i += 2)
        if (std::string(argv[i]) == "--neurons")
            n = std::atoi(argv[i + 1]);
    double drive = 1.2, mean = 0.0;
    std::vector<double> weights(n * n, 0.1), current(n, drive), rates(n);
    simulate(rates.data(), weights.data(), current.data(), n, 8);
    for (int i = 0; i < n; ++i)
        mean += rates[i] / n;
    std::printf("mean rate %.12f\n", mean);
    return 0;
}
