/*---
function = "run"
wrt = ["pos", "mass"]
[inputs]
pos = { shape = [15], random = 1 }
mass = { shape = [5], random_uniform = 2, low = 0.5, high = 1.5 }
n = 5
steps = 3
---*/
// Gravity in tiles of structs of a vector template, with a deleter that is a template, and a clock that prints at its end.
#include <cuda_runtime.h>
#include <array>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <vector>

template <typename T> struct Vec3 {
    T x, y, z;
    Vec3() = default;
    __host__ __device__ constexpr Vec3(T a, T b, T c) : x(a), y(b), z(c) {}
    __host__ __device__ Vec3 &operator+=(const Vec3 &o) { x += o.x; y += o.y; z += o.z; return *this; }
    __host__ __device__ Vec3 &operator*=(T s) { x *= s; y *= s; z *= s; return *this; }
    __host__ __device__ T norm2() const { return dot(*this, *this); }
    __host__ __device__ friend T dot(const Vec3 &a, const Vec3 &b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
    __host__ __device__ friend Vec3 operator+(Vec3 a, const Vec3 &b) { return a += b; }
    __host__ __device__ friend Vec3 operator-(const Vec3 &a, const Vec3 &b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
    __host__ __device__ friend Vec3 operator-(const Vec3 &a) { return {-a.x, -a.y, -a.z}; }
    __host__ __device__ friend Vec3 operator*(Vec3 a, T s) { return a *= s; }
    __host__ __device__ friend Vec3 operator*(T s, const Vec3 &a) { return a * s; }
    __host__ __device__ friend bool operator==(const Vec3 &a, const Vec3 &b) { return a.x == b.x && a.y == b.y && a.z == b.z; }
    friend std::ostream &operator<<(std::ostream &os, const Vec3 &v) { return os << "(" << v.x << ", " << v.y << ", " << v.z << ")"; }
};

struct CudaFree { template <typename T> void operator()(T *p) const noexcept { cudaFree(p); } };
template <typename T> using device_ptr = std::unique_ptr<T[], CudaFree>;
template <typename T> device_ptr<T> make_device(std::size_t n)
{
    T *p = nullptr;
    if (cudaMalloc(&p, n * sizeof(T)) != cudaSuccess) throw std::bad_alloc();
    return device_ptr<T>{p};
}

struct Particle {
    Vec3<double> r, v;
    double m;
};

template <typename Real, int TILE>
__global__ void forces(const Particle *p, Vec3<Real> *a, int n, Real eps2)
{
    __shared__ Particle tile[TILE];
    const int i = blockIdx.x * TILE + threadIdx.x;
    Vec3<Real> acc{};
    const Vec3<Real> ri = i < n ? p[i].r : Vec3<Real>{};
    for (int base = 0; base < n; base += TILE) {
        if (base + threadIdx.x < n) tile[threadIdx.x] = p[base + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < TILE && base + j < n; ++j) {
            const auto d = tile[j].r - ri;
            const Real r2 = d.norm2() + eps2;
            const Real inv = rsqrt(r2);
            acc += tile[j].m * inv * inv * inv * d;
        }
        __syncthreads();
    }
    if (i < n) a[i] = acc;
}

__global__ void kick_drift(Particle *p, const Vec3<double> *a, double dt, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    auto &q = p[i];
    q.v += a[i] * dt;
    q.r = q.r + dt * q.v;
}

class Timer {
    using clock = std::chrono::steady_clock;
    clock::time_point start_ = clock::now();
    const char *label_;
public:
    explicit Timer(const char *label) : label_(label) {}
    ~Timer()
    {
        auto us = std::chrono::duration_cast<std::chrono::microseconds>(clock::now() - start_).count();
        std::cerr << label_ << ": " << us << " us\n";
    }
};

class Simulation {
public:
    Simulation(const std::vector<Particle> &init, double dt)
        : n_(init.size()), dt_(dt), p_(make_device<Particle>(n_)), a_(make_device<Vec3<double>>(n_)), host_(init)
    {
        cudaMemcpy(p_.get(), init.data(), n_ * sizeof(Particle), cudaMemcpyHostToDevice);
    }
    void advance(int steps)
    {
        Timer t{"advance"};
        constexpr int kTile = 4;
        const auto blocks = (n_ + kTile - 1) / kTile;
        while (steps--) {
            forces<double, kTile><<<blocks, kTile>>>(p_.get(), a_.get(), n_, 1e-2);
            kick_drift<<<blocks, kTile>>>(p_.get(), a_.get(), dt_, n_);
        }
        cudaMemcpy(host_.data(), p_.get(), n_ * sizeof(Particle), cudaMemcpyDeviceToHost);
    }
    const std::vector<Particle> &particles() const { return host_; }
private:
    std::size_t n_;
    double dt_;
    device_ptr<Particle> p_;
    device_ptr<Vec3<double>> a_;
    std::vector<Particle> host_;
};

double run(const double *pos, const double *mass, int n, int steps)
{
    std::vector<Particle> init;
    init.reserve(n);
    for (int i = 0; i < n; ++i) {
        Particle q{};
        q.r = {pos[3 * i], pos[3 * i + 1], pos[3 * i + 2]};
        q.v = Vec3<double>(0.1, 0.0, -0.1);
        q.m = mass[i];
        init.push_back(q);
    }
    Simulation sim(init, 0.01);
    sim.advance(steps);
    double e = 0.0;
    Vec3<double> com{};
    for (const auto &q : sim.particles()) {
        e += 0.5 * q.m * q.v.norm2();
        com += q.m * q.r;
    }
    std::cout << "com " << com << std::endl;
    return e + com.norm2();
}
