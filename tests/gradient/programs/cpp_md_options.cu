/*---
function = "run"
wrt = ["epsilon", "sigma", "dt"]
[inputs]
epsilon = 1.0
sigma = 0.9
dt = 0.004
steps = 2
---*/
// Molecular dynamics of a Lennard-Jones fluid in a periodic box: cell lists, velocity Verlet, a Berendsen thermostat.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <cuda_runtime.h>

#define CUDA_CHECK(call)                                                                                   \
    do {                                                                                                   \
        cudaError_t status_ = (call);                                                                      \
        if (status_ != cudaSuccess) {                                                                      \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));          \
            std::exit(EXIT_FAILURE);                                                                       \
        }                                                                                                  \
    } while (0)

template <typename T> class DeviceBuffer {
public:
    explicit DeviceBuffer(size_t count) : count_(count) { CUDA_CHECK(cudaMalloc(&data_, count * sizeof(T))); }
    explicit DeviceBuffer(const std::vector<T> &host) : DeviceBuffer(host.size()) { upload(host); }
    ~DeviceBuffer() { cudaFree(data_); }
    DeviceBuffer(const DeviceBuffer &) = delete;
    DeviceBuffer &operator=(const DeviceBuffer &) = delete;
    DeviceBuffer(DeviceBuffer &&other) noexcept : data_(other.data_), count_(other.count_) { other.data_ = nullptr; }
    void upload(const std::vector<T> &host)
    {
        CUDA_CHECK(cudaMemcpy(data_, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    std::vector<T> download() const
    {
        std::vector<T> host(count_);
        CUDA_CHECK(cudaMemcpy(host.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
        return host;
    }
    void zero() { CUDA_CHECK(cudaMemset(data_, 0, count_ * sizeof(T))); }
    T *get() { return data_; }
    const T *get() const { return data_; }
    size_t size() const { return count_; }

private:
    T *data_ = nullptr;
    size_t count_ = 0;
};

struct Options {
    int cells_per_side = 3;
    int steps = 4;
    double density = 0.8;
    double dt = 0.004;
    double temperature = 1.1;
    double cutoff = 1.4;
    bool verbose = false;

    static Options parse(int argc, char **argv)
    {
        Options o;
        std::map<std::string, double *> numbers = {{"--density", &o.density}, {"--dt", &o.dt}, {"--cutoff", &o.cutoff}};
        for (int i = 1; i < argc; ++i) {
            const std::string name = argv[i];
            if (name == "--verbose") {
                o.verbose = true;
            } else if (name == "--steps" && i + 1 < argc) {
                o.steps = std::atoi(argv[++i]);
            } else if (numbers.count(name) && i + 1 < argc) {
                *numbers[name] = std::atof(argv[++i]);
            } else {
                std::cerr << "unknown option " << name << std::endl;
                std::exit(1);
            }
        }
        return o;
    }
};

struct Box {
    double length;
    __host__ __device__ double wrap(double d) const { return d - length * rint(d / length); }
};

struct LennardJones {
    double epsilon, sigma, cutoff;
    __host__ __device__ double energy(double r2) const
    {
        const double s2 = sigma * sigma / r2, s6 = s2 * s2 * s2;
        return 4 * epsilon * (s6 * s6 - s6);
    }
    __host__ __device__ double force_over_r(double r2) const
    {
        const double s2 = sigma * sigma / r2, s6 = s2 * s2 * s2;
        return 24 * epsilon * (2 * s6 * s6 - s6) / r2;
    }
};

template <class Potential>
__global__ void forces_kernel(double3 *force, double *energy, const double3 *pos, int n, Box box, Potential law)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const double3 p = pos[i];
    double3 f = make_double3(0, 0, 0);
    double e = 0;
    for (int j = 0; j < n; ++j) {
        if (j == i)
            continue;
        const double dx = box.wrap(p.x - pos[j].x), dy = box.wrap(p.y - pos[j].y), dz = box.wrap(p.z - pos[j].z);
        const double r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < law.cutoff * law.cutoff) {
            const double s = law.force_over_r(r2);
            f.x += s * dx;
            f.y += s * dy;
            f.z += s * dz;
            e += 0.5 * law.energy(r2);
        }
    }
    force[i] = f;
    energy[i] = e;
}

__global__ void kick(double3 *vel, const double3 *force, double half_dt, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        vel[i].x += half_dt * force[i].x;
        vel[i].y += half_dt * force[i].y;
        vel[i].z += half_dt * force[i].z;
    }
}

__global__ void drift(double3 *pos, const double3 *vel, double dt, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        pos[i].x += dt * vel[i].x;
        pos[i].y += dt * vel[i].y;
        pos[i].z += dt * vel[i].z;
    }
}

__global__ void kinetic_kernel(double *partial, const double3 *vel, int n)
{
    extern __shared__ double cache[];
    const int tid = threadIdx.x;
    double sum = 0;
    for (int i = blockIdx.x * blockDim.x + tid; i < n; i += gridDim.x * blockDim.x)
        sum += 0.5 * (vel[i].x * vel[i].x + vel[i].y * vel[i].y + vel[i].z * vel[i].z);
    cache[tid] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s)
            cache[tid] += cache[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        partial[blockIdx.x] = cache[0];
}

__global__ void rescale(double3 *vel, double factor, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        vel[i].x *= factor;
        vel[i].y *= factor;
        vel[i].z *= factor;
    }
}

class Simulation {
public:
    Simulation(const Options &options, const LennardJones &law)
        : options_(options), law_(law), n_(options.cells_per_side * options.cells_per_side * options.cells_per_side),
          box_{std::cbrt(n_ / options.density)}, pos_(n_), vel_(n_), force_(n_), energy_(n_), partial_(kBlocks)
    {
        std::vector<double3> pos, vel;
        pos.reserve(n_);
        const double a = box_.length / options.cells_per_side;
        std::mt19937 engine(12345);
        std::normal_distribution<double> gauss(0.0, std::sqrt(options.temperature));
        for (int x = 0; x < options.cells_per_side; ++x)
            for (int y = 0; y < options.cells_per_side; ++y)
                for (int z = 0; z < options.cells_per_side; ++z) {
                    pos.push_back(make_double3((x + 0.5) * a, (y + 0.45) * a, (z + 0.55) * a));
                    vel.push_back(make_double3(gauss(engine), gauss(engine), gauss(engine)));
                }
        pos_.upload(pos);
        vel_.upload(vel);
        compute_forces();
    }

    void step()
    {
        kick<<<blocks(), kThreads>>>(vel_.get(), force_.get(), 0.5 * options_.dt, n_);
        drift<<<blocks(), kThreads>>>(pos_.get(), vel_.get(), options_.dt, n_);
        compute_forces();
        kick<<<blocks(), kThreads>>>(vel_.get(), force_.get(), 0.5 * options_.dt, n_);
        const double now = 2.0 * kinetic() / (3.0 * n_);
        const double factor = std::sqrt(1.0 + 0.1 * (options_.temperature / now - 1.0));
        rescale<<<blocks(), kThreads>>>(vel_.get(), factor, n_);
        CUDA_CHECK(cudaGetLastError());
        if (observer_)
            observer_(++count_, now);
    }

    double kinetic()
    {
        kinetic_kernel<<<kBlocks, kThreads, kThreads * sizeof(double)>>>(partial_.get(), vel_.get(), n_);
        const auto parts = partial_.download();
        return std::accumulate(parts.begin(), parts.end(), 0.0);
    }
    double potential() const
    {
        double sum = 0;
        for (double e : energy_.download())
            sum += e;
        return sum;
    }
    void observe(std::function<void(int, double)> observer) { observer_ = std::move(observer); }
    std::vector<double3> positions() const { return pos_.download(); }
    const Box &box() const { return box_; }
    int size() const { return n_; }

private:
    static constexpr int kThreads = 32, kBlocks = 2;
    int blocks() const { return (n_ + kThreads - 1) / kThreads; }
    void compute_forces()
    {
        forces_kernel<<<blocks(), kThreads>>>(force_.get(), energy_.get(), pos_.get(), n_, box_, law_);
        CUDA_CHECK(cudaDeviceSynchronize());
    }

    Options options_;
    LennardJones law_;
    int n_;
    Box box_;
    DeviceBuffer<double3> pos_, vel_, force_;
    DeviceBuffer<double> energy_, partial_;
    std::function<void(int, double)> observer_;
    int count_ = 0;
};

static double reference_energy(const std::vector<double3> &pos, const Box &box, const LennardJones &law)
{
    double sum = 0;
    for (size_t i = 0; i < pos.size(); ++i)
        for (size_t j = 0; j < i; ++j) {
            const double dx = box.wrap(pos[i].x - pos[j].x), dy = box.wrap(pos[i].y - pos[j].y), dz = box.wrap(pos[i].z - pos[j].z);
            const double r2 = dx * dx + dy * dy + dz * dz;
            if (r2 < law.cutoff * law.cutoff)
                sum += law.energy(r2);
        }
    return sum;
}

static double total_energy(const Options &options, double epsilon, double sigma)
{
    const LennardJones law{epsilon, sigma, options.cutoff};
    Simulation simulation(options, law);
    double hottest = 0;
    simulation.observe([&hottest, verbose = options.verbose](int step, double temperature) {
        hottest = std::max(hottest, temperature);
        if (verbose)
            std::cout << "step " << step << " T " << temperature << '\n';
    });
    const auto start = std::chrono::high_resolution_clock::now();
    for (int k = 0; k < options.steps; ++k)
        simulation.step();
    CUDA_CHECK(cudaDeviceSynchronize());
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::high_resolution_clock::now() - start;
    const double potential = simulation.potential();
    const double reference = reference_energy(simulation.positions(), simulation.box(), law);
    const bool ok = std::fabs(potential - reference) < 1e-9 * std::fabs(reference);
    std::printf("%d atoms, hottest %.4f, %.3f ms: %s\n", simulation.size(), hottest, elapsed.count(), ok ? "PASS" : "FAIL");
    return potential + simulation.kinetic();
}

int main(int argc, char **argv)
{
    const Options options = Options::parse(argc, argv);
    double epsilon = 1.0;
    double sigma = 1.0;
    double total = total_energy(options, epsilon, sigma);
    return std::isfinite(total) ? EXIT_SUCCESS : EXIT_FAILURE;
}

double run(double epsilon, double sigma, double dt, int steps)
{
    Options options;
    options.dt = dt;
    options.steps = steps;
    options.cells_per_side = 2;
    return total_energy(options, epsilon, sigma);
}
