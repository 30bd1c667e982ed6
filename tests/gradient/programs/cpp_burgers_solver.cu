/*---
function = "solve_energy"
wrt = ["u0", "nu"]
[inputs]
u0 = { shape = [21], random = 1 }
nu = 0.3
nx = 21
steps = 4
---*/
// Burgers' equation by a hierarchy of solvers over arrays that own device memory; errors are thrown with texts of streams.
#include <cuda_runtime.h>
#include <chrono>
#include <cstdio>
#include <iomanip>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

class CudaError : public std::runtime_error {
public:
    CudaError(cudaError_t code, const std::string &where)
        : std::runtime_error(where + ": " + cudaGetErrorString(code)), code_(code) {}
    cudaError_t code() const { return code_; }
private:
    cudaError_t code_;
};

inline void cuda_check(cudaError_t code, const char *expr, const char *file, int line)
{
    if (code != cudaSuccess) {
        std::ostringstream os;
        os << "CUDA error " << static_cast<int>(code) << " (" << cudaGetErrorString(code) << ") at " << file << ":" << line
           << " in " << expr;
        throw CudaError(code, os.str());
    }
}
#define CUDA_CHECK(call) cuda_check((call), #call, __FILE__, __LINE__)
#define CUDA_CHECK2(call)                                                                            \
    do {                                                                                             \
        cudaError_t err__ = (call);                                                                  \
        if (err__ != cudaSuccess) {                                                                  \
            std::stringstream ss;                                                                    \
            ss << __FILE__ << ":" << __LINE__ << " " << cudaGetErrorName(err__) << " "               \
               << cudaGetErrorString(err__);                                                         \
            throw std::runtime_error(ss.str());                                                      \
        }                                                                                            \
    } while (0)

template <typename T>
class DeviceArray {
public:
    DeviceArray() = default;
    explicit DeviceArray(std::size_t n) : size_(n) { CUDA_CHECK(cudaMalloc(&data_, n * sizeof(T))); }
    explicit DeviceArray(const std::vector<T> &host) : DeviceArray(host.size()) { copy_from(host.data()); }
    ~DeviceArray() { if (data_) cudaFree(data_); }
    DeviceArray(const DeviceArray &) = delete;
    DeviceArray &operator=(const DeviceArray &) = delete;
    DeviceArray(DeviceArray &&o) noexcept : data_(std::exchange(o.data_, nullptr)), size_(std::exchange(o.size_, 0)) {}
    DeviceArray &operator=(DeviceArray &&o) noexcept
    {
        if (this != &o) {
            if (data_) cudaFree(data_);
            data_ = std::exchange(o.data_, nullptr);
            size_ = std::exchange(o.size_, 0);
        }
        return *this;
    }
    void copy_from(const T *host) { CUDA_CHECK(cudaMemcpy(data_, host, bytes(), cudaMemcpyHostToDevice)); }
    std::vector<T> to_host() const
    {
        std::vector<T> h(size_);
        CUDA_CHECK2(cudaMemcpy(h.data(), data_, bytes(), cudaMemcpyDeviceToHost));
        return h;
    }
    T *data() noexcept { return data_; }
    const T *data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }
    std::size_t bytes() const noexcept { return size_ * sizeof(T); }
    friend void swap(DeviceArray &a, DeviceArray &b) noexcept
    {
        using std::swap;
        swap(a.data_, b.data_);
        swap(a.size_, b.size_);
    }
private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

template <typename T, int BLOCK>
__global__ void burgers_step(const T *__restrict__ u, T *__restrict__ v, T nu, T dt, T dx, int n)
{
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    const int l = i == 0 ? n - 1 : i - 1;
    const int r = i == n - 1 ? 0 : i + 1;
    const T adv = u[i] * (u[r] - u[l]) / (T(2) * dx);
    const T dif = nu * (u[r] - T(2) * u[i] + u[l]) / (dx * dx);
    v[i] = u[i] + dt * (dif - adv);
}

template <typename T>
class Solver {
public:
    virtual ~Solver() = default;
    virtual void step() = 0;
    virtual const char *name() const { return "solver"; }
    void run(int steps)
    {
        const auto t0 = std::chrono::high_resolution_clock::now();
        for (int s = 0; s < steps; ++s) step();
        CUDA_CHECK(cudaDeviceSynchronize());
        const auto t1 = std::chrono::high_resolution_clock::now();
        const std::chrono::duration<double, std::milli> ms = t1 - t0;
        std::cout << std::fixed << std::setprecision(3) << name() << ": " << ms.count() << " ms\n";
    }
};

template <typename T, int BLOCK = 128>
class BurgersSolver : public Solver<T> {
public:
    BurgersSolver(const std::vector<T> &u0, T nu) : n_(static_cast<int>(u0.size())), nu_(nu), u_(u0), v_(u0.size()) {}
    void step() override
    {
        burgers_step<T, BLOCK><<<grid(), BLOCK>>>(u_.data(), v_.data(), nu_, dt_, dx_, n_);
        CUDA_CHECK(cudaGetLastError());
        swap(u_, v_);
    }
    const char *name() const override { return "burgers"; }
    T energy() const
    {
        T e{};
        for (const T &x : u_.to_host()) e += x * x;
        return T(0.5) * e * dx_;
    }
private:
    dim3 grid() const { return dim3((n_ + BLOCK - 1) / BLOCK); }
    int n_;
    T nu_;
    T dt_ = T(0.01);
    T dx_ = T(0.2);
    DeviceArray<T> u_, v_;
};

double solve_energy(const double *u0, double nu, int nx, int steps)
{
    if (nx <= 0) throw std::invalid_argument("nx must be positive, got " + std::to_string(nx));
    std::vector<double> init(u0, u0 + nx);
    BurgersSolver<double, 8> solver(init, nu);
    solver.run(steps);
    const double e = solver.energy();
    std::cout << "energy = " << e << std::endl;
    return e;
}

int main(int argc, char **argv)
{
    const int nx = 64;
    std::vector<double> u(nx);
    for (int i = 0; i < nx; ++i) u[i] = std::sin(2 * 3.14159 * i / nx);
    try {
        std::cout << solve_energy(u.data(), 0.1, nx, 10) << '\n';
    } catch (const CudaError &e) {
        std::cerr << e.what() << '\n';
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
