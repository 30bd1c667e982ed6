/*---
function = "simulate"
wrt = ["u", "speed"]
of = ["u"]
[inputs]
u = { shape = [12, 10], random = 1 }
speed = 0.8
nx = 12
ny = 10
steps = 3
---*/
// Solvers of a hierarchy share one grid class: a template method in the base, kernels chosen by traits, boundary policies.
#include <array>
#include <chrono>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

template <typename T> class Grid2D {
public:
    Grid2D(int nx, int ny) : nx_(nx), ny_(ny), data_(nullptr)
    {
        if (cudaMalloc(reinterpret_cast<void **>(&data_), bytes()) != cudaSuccess)
            throw std::runtime_error("out of memory");
        cudaMemset(data_, 0, bytes());
    }
    Grid2D(Grid2D &&other) noexcept : nx_(other.nx_), ny_(other.ny_), data_(std::exchange(other.data_, nullptr)) {}
    Grid2D(const Grid2D &) = delete;
    ~Grid2D()
    {
        if (data_)
            cudaFree(data_);
    }
    void swap(Grid2D &other) { std::swap(data_, other.data_); }
    void upload(const T *from) { cudaMemcpy(data_, from, bytes(), cudaMemcpyHostToDevice); }
    void download(T *to) const { cudaMemcpy(to, data_, bytes(), cudaMemcpyDeviceToHost); }
    T *data() { return data_; }
    const T *data() const { return data_; }
    int nx() const noexcept { return nx_; }
    int ny() const noexcept { return ny_; }

private:
    size_t bytes() const { return sizeof(T) * nx_ * ny_; }
    int nx_, ny_;
    T *data_;
};

struct Periodic {
    __host__ __device__ static int at(int i, int n) { return (i + n) % n; }
};
struct Mirrored {
    __host__ __device__ static int at(int i, int n) { return i < 0 ? -i : i >= n ? 2 * n - 2 - i : i; }
};

template <typename T, int ORDER> struct Weights;
template <typename T> struct Weights<T, 2> {
    static constexpr int radius = 1;
    __host__ __device__ static constexpr T at(int k) { return k == 0 ? T(-2) : T(1); }
};
template <typename T> struct Weights<T, 4> {
    static constexpr int radius = 2;
    __host__ __device__ static constexpr T at(int k) { return k == 0 ? T(-2.5) : k == 1 ? T(4) / T(3) : T(-1) / T(12); }
};

template <typename T, int ORDER, class Border>
__global__ void laplace(T *__restrict__ out, const T *__restrict__ in, int nx, int ny, T factor)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= nx || j >= ny)
        return;
    using W = Weights<T, ORDER>;
    T sum = 2 * W::at(0) * in[j * nx + i];
    for (int k = 1; k <= W::radius; ++k)
        sum += W::at(k) * (in[j * nx + Border::at(i - k, nx)] + in[j * nx + Border::at(i + k, nx)] +
                           in[Border::at(j - k, ny) * nx + i] + in[Border::at(j + k, ny) * nx + i]);
    out[j * nx + i] = factor * sum;
}
template <typename T, class F> __global__ void pointwise(T *u, const T *l, int n, F f)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        u[i] = f(u[i], l[i]);
}

class Solver {
public:
    Solver(int nx, int ny) : u(nx, ny), rest(nx, ny) {}
    virtual ~Solver() = default;
    void run(int steps, double dt)
    {
        for (int s = 0; s < steps; ++s) {
            spread();
            react(dt);
        }
    }
    Grid2D<double> u;

protected:
    Grid2D<double> rest;
    virtual void spread() = 0;
    virtual void react(double dt)
    {
        pointwise<<<(size() + 31) / 32, 32>>>(u.data(), rest.data(), size(),
                                               [=] __device__(double a, double b) { return a + dt * b; });
    }
    int size() const { return u.nx() * u.ny(); }
    dim3 block() const { return dim3(8, 4); }
    dim3 grid() const { return dim3((u.nx() + 7) / 8, (u.ny() + 3) / 4); }
};
class Diffusion : public Solver {
public:
    Diffusion(int nx, int ny, double c) : Solver(nx, ny), c_(c) {}

protected:
    void spread() override { laplace<double, 4, Periodic><<<grid(), block()>>>(rest.data(), u.data(), u.nx(), u.ny(), c_); }
    double c_;
};
class AllenCahn final : public Diffusion {
public:
    using Diffusion::Diffusion;

protected:
    void spread() override { laplace<double, 2, Mirrored><<<grid(), block()>>>(rest.data(), u.data(), u.nx(), u.ny(), c_); }
    void react(double dt) override
    {
        const double c = c_;
        pointwise<<<(size() + 31) / 32, 32>>>(u.data(), rest.data(), size(), [dt, c] __device__(double a, double b) {
            return a + dt * (b + c * (a - a * a * a));
        });
    }
};

void simulate(double *u, double speed, int nx, int ny, int steps)
{
    std::vector<std::unique_ptr<Solver>> solvers;
    solvers.push_back(std::make_unique<Diffusion>(nx, ny, speed));
    solvers.emplace_back(new AllenCahn(nx, ny, 0.5 * speed));
    for (auto &solver : solvers) {
        solver->u.upload(u);
        solver->run(steps, 0.1);
        solver->u.download(u);
    }
}

int main(int argc, char **argv)
{
    const int n = argc > 1 && std::string(argv[1]) == "small" ? 8 : 10;
    double speed = 0.5, mass = 0;
    std::vector<double> u(n * n);
    for (int i = 0; i < n * n; ++i)
        u[i] = 0.1 * (i % 11) - 0.5;
    simulate(u.data(), speed, n, n, 4);
    for (double v : u)
        mass += v * v;
    std::cout << "mass " << mass << std::endl;
}
