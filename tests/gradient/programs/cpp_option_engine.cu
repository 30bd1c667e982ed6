/*---
function = "price"
wrt = ["spot", "vol", "z"]
[inputs]
spot = 1.1
vol = 0.3
z = { shape = [24], random = 1 }
paths = 8
steps = 3
---*/
// Payoffs as arguments of templates, streams and events owned by classes that convert to them.
#include <cuda_runtime.h>
#include <cassert>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>
#include <algorithm>
#include <iostream>

namespace mc {

class Stream {
public:
    Stream() { cudaStreamCreate(&s_); }
    ~Stream() { cudaStreamDestroy(s_); }
    Stream(const Stream &) = delete;
    operator cudaStream_t() const { return s_; }
private:
    cudaStream_t s_{};
};

struct EventTimer {
    cudaEvent_t a, b;
    EventTimer() { cudaEventCreate(&a); cudaEventCreate(&b); }
    ~EventTimer() { cudaEventDestroy(a); cudaEventDestroy(b); }
    void start(cudaStream_t s) { cudaEventRecord(a, s); }
    float stop(cudaStream_t s) { cudaEventRecord(b, s); cudaEventSynchronize(b); float ms; cudaEventElapsedTime(&ms, a, b); return ms; }
};

enum class Payoff { Call, Put, Asian };

struct Params { double s0, r, sigma, T, strike; int steps; Payoff kind; };

__device__ inline double smooth_max(double x) { return 0.5 * (x + sqrt(x * x + 1e-3)); }

template <Payoff P> struct PayoffOf;
template <> struct PayoffOf<Payoff::Call> { static __device__ double eval(double s, double, double k) { return smooth_max(s - k); } };
template <> struct PayoffOf<Payoff::Put> { static __device__ double eval(double s, double, double k) { return smooth_max(k - s); } };
template <> struct PayoffOf<Payoff::Asian> { static __device__ double eval(double, double avg, double k) { return smooth_max(avg - k); } };

template <Payoff P>
__global__ void simulate(Params p, const double *__restrict__ z, double *__restrict__ out, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    const double dt = p.T / p.steps;
    double s = p.s0, avg = 0;
    #pragma unroll
    for (int t = 0; t < p.steps; ++t) {
        s *= exp((p.r - 0.5 * p.sigma * p.sigma) * dt + p.sigma * sqrt(dt) * z[t * n + i]);
        avg += s;
    }
    out[i] = exp(-p.r * p.T) * PayoffOf<P>::eval(s, avg / p.steps, p.strike);
}

template <Payoff P> void launch(const Params &p, const double *z, double *out, int n, cudaStream_t st)
{
    constexpr int threads = 4;
    simulate<P><<<(n + threads - 1) / threads, threads, 0, st>>>(p, z, out, n);
}

class Engine {
public:
    explicit Engine(int paths) : paths_(paths), host_(paths)
    {
        auto alloc = [](size_t n) {
            double *p = nullptr;
            if (auto err = cudaMalloc(&p, n * sizeof(double)); err != cudaSuccess)
                throw std::runtime_error(cudaGetErrorString(err));
            return p;
        };
        z_.reset(alloc(paths * kMaxSteps));
        out_.reset(alloc(paths));
    }
    double price(const Params &p, const std::vector<double> &z)
    {
        if (p.steps > kMaxSteps) {
            std::ostringstream msg;
            msg << "too many steps: " << p.steps << " > " << kMaxSteps;
            throw std::out_of_range(msg.str());
        }
        timer_.start(stream_);
        cudaMemcpyAsync(z_.get(), z.data(), z.size() * sizeof(double), cudaMemcpyHostToDevice, stream_);
        switch (p.kind) {
        case Payoff::Call: launch<Payoff::Call>(p, z_.get(), out_.get(), paths_, stream_); break;
        case Payoff::Put: launch<Payoff::Put>(p, z_.get(), out_.get(), paths_, stream_); break;
        case Payoff::Asian: launch<Payoff::Asian>(p, z_.get(), out_.get(), paths_, stream_); break;
        default: throw std::logic_error("unknown payoff");
        }
        cudaMemcpyAsync(host_.data(), out_.get(), host_.size() * sizeof(double), cudaMemcpyDeviceToHost, stream_);
        cudaStreamSynchronize(stream_);
        std::cout << "took " << timer_.stop(stream_) << " ms" << std::endl;
        return std::accumulate(host_.begin(), host_.end(), 0.0) / paths_;
    }
private:
    static constexpr int kMaxSteps = 16;
    struct Free { void operator()(double *p) const { cudaFree(p); } };
    int paths_;
    Stream stream_;
    EventTimer timer_;
    std::unique_ptr<double[], Free> z_, out_;
    std::vector<double> host_;
};

}  // namespace mc

double price(double spot, double vol, const double *z, int paths, int steps)
{
    mc::Engine engine(paths);
    std::vector<double> normals(z, z + paths * steps);
    double total = 0;
    for (auto kind : {mc::Payoff::Call, mc::Payoff::Put, mc::Payoff::Asian}) {
        mc::Params p{spot, 0.02, vol, 1.0, 1.0, steps, kind};
        total += (static_cast<int>(kind) + 1) * engine.price(p, normals);
    }
    return total;
}
