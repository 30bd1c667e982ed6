/*---
function = "simulate"
wrt = ["u0", "alpha"]
of = ["result"]
[inputs]
result = { zeros = [35] }
u0 = { shape = [35], random = 1 }
alpha = 0.3
argc = 3
---*/
// A heat solver as an application: options from the command line, output files named by step, statistics, RAII, timers.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#define CUDA_CHECK(call)                                                                          \
    do {                                                                                          \
        cudaError_t status_ = (call);                                                             \
        if (status_ != cudaSuccess) {                                                             \
            std::ostringstream message_;                                                          \
            message_ << __FILE__ << ":" << __LINE__ << ": " << cudaGetErrorString(status_);       \
            throw std::runtime_error(message_.str());                                             \
        }                                                                                         \
    } while (0)

struct Options {
    int nx = 7;
    int ny = 5;
    int steps = 4;
    bool verbose = false;
    std::string scheme = "explicit";
    std::string prefix = "heat";
};

static Options parse(int argc, const char *const *argv)
{
    Options o;
    for (int i = 1; i < argc; ++i) {
        std::string arg = argv[i];
        if (arg == "--verbose" || arg == "-v") {
            o.verbose = true;
        } else if (arg.substr(0, 8) == "--steps=") {
            o.steps = std::stoi(arg.substr(8));
        } else if (arg.find("--scheme=") == 0) {
            o.scheme = arg.substr(arg.find('=') + 1);
        } else if (arg == "--help") {
            std::cout << "usage: " << argv[0] << " [--steps=N] [--scheme=NAME]" << std::endl;
            exit(0);
        } else {
            std::cerr << "unknown option " << arg << "\n";
            exit(1);
        }
    }
    return o;
}

template <typename T> class DeviceArray {
public:
    explicit DeviceArray(size_t n) : size_(n) { CUDA_CHECK(cudaMalloc(&data_, n * sizeof(T))); }
    ~DeviceArray() { cudaFree(data_); }
    DeviceArray(const DeviceArray &) = delete;
    DeviceArray &operator=(const DeviceArray &) = delete;
    DeviceArray(DeviceArray &&o) noexcept : data_(o.data_), size_(o.size_) { o.data_ = nullptr; }
    void upload(const T *from) { CUDA_CHECK(cudaMemcpy(data_, from, size_ * sizeof(T), cudaMemcpyHostToDevice)); }
    void download(T *to) const { CUDA_CHECK(cudaMemcpy(to, data_, size_ * sizeof(T), cudaMemcpyDeviceToHost)); }
    T *get() { return data_; }
    const T *get() const { return data_; }
    size_t size() const { return size_; }

private:
    T *data_ = nullptr;
    size_t size_;
};

class Timer {
public:
    Timer() : start_(std::chrono::high_resolution_clock::now()) {}
    double ms() const
    {
        return std::chrono::duration<double, std::milli>(std::chrono::high_resolution_clock::now() - start_).count();
    }

private:
    std::chrono::time_point<std::chrono::high_resolution_clock> start_;
};

__global__ void explicitStep(const double *u, double *v, int nx, int ny, double r)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= nx || j >= ny)
        return;
    int c = j * nx + i;
    double left = i > 0 ? u[c - 1] : u[c], right = i < nx - 1 ? u[c + 1] : u[c];
    double down = j > 0 ? u[c - nx] : u[c], up = j < ny - 1 ? u[c + nx] : u[c];
    v[c] = u[c] + r * (left + right + up + down - 4 * u[c]);
}

__global__ void nonlinearStep(const double *u, double *v, int nx, int ny, double r)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < nx && j < ny) {
        int c = j * nx + i;
        v[c] = u[c] - r * u[c] * u[c];
    }
}

typedef void (*Step)(const double *, double *, int, int, double);

static void runExplicit(const double *u, double *v, int nx, int ny, double r)
{
    dim3 block(4, 4), grid((nx + 3) / 4, (ny + 3) / 4);
    explicitStep<<<grid, block>>>(u, v, nx, ny, r);
    CUDA_CHECK(cudaGetLastError());
}

static void runNonlinear(const double *u, double *v, int nx, int ny, double r)
{
    dim3 block(4, 4), grid((nx + 3) / 4, (ny + 3) / 4);
    nonlinearStep<<<grid, block>>>(u, v, nx, ny, r);
    CUDA_CHECK(cudaGetLastError());
}

static std::string fileName(const std::string &prefix, int step)
{
    std::ostringstream name;
    name << prefix << "_" << std::setw(6) << std::setfill('0') << step << ".csv";
    return name.str();
}

static void write(const std::string &name, const std::vector<double> &u, int nx)
{
    std::ofstream out(name.c_str());
    if (!out.is_open()) {
        std::cerr << "cannot open " << name << std::endl;
        return;
    }
    out << std::setprecision(12);
    for (size_t i = 0; i < u.size(); ++i)
        out << u[i] << ((i + 1) % nx == 0 ? "\n" : ",");
}

void simulate(double *result, const double *u0, double alpha, int argc)
{
    const char *argv[] = {"heat", "--scheme=nonlinear", "--steps=3", "-v"};
    Options o = parse(argc, argv);
    const std::map<std::string, Step> schemes = {{"explicit", runExplicit}, {"nonlinear", runNonlinear}};
    auto found = schemes.find(o.scheme);
    if (found == schemes.end())
        throw std::invalid_argument("unknown scheme " + o.scheme);
    const size_t n = (size_t)o.nx * o.ny;
    DeviceArray<double> a(n), b(n);
    a.upload(u0);
    double *current = a.get(), *next = b.get();
    Timer timer;
    std::vector<double> snapshot(n);
    for (int step = 0; step < o.steps; ++step) {
        found->second(current, next, o.nx, o.ny, alpha);
        std::swap(current, next);
        if (o.verbose && step % 2 == 0) {
            CUDA_CHECK(cudaMemcpy(snapshot.data(), current, n * sizeof(double), cudaMemcpyDeviceToHost));
            write(fileName(o.prefix, step), snapshot, o.nx);
        }
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    std::cout << "time: " << std::fixed << std::setprecision(3) << timer.ms() << " ms for " << o.steps << " steps" << std::endl;
    CUDA_CHECK(cudaMemcpy(result, current, n * sizeof(double), cudaMemcpyDeviceToHost));
}
