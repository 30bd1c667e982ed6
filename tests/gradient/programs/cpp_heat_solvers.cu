/*---
function = "solve"
wrt = ["field"]
of = ["field", "norms"]
[inputs]
field = { shape = [18, 20], random = 1 }
norms = { zeros = [2] }
nx = 20
ny = 18
steps = 4
---*/
// Stencils as a class hierarchy without virtual calls: an operator class, boundaries as policies, ghost cells, solvers that
// derive from one another, options that are parsed.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <getopt.h>
#include <iostream>
#include <memory>
#include <ostream>
#include <vector>

struct Options {
    int nx = 64, ny = 64, steps = 10;
    double alpha = 0.1;
    bool verbose = false;
};
std::ostream &operator<<(std::ostream &os, const Options &o)
{
    return os << o.nx << 'x' << o.ny << ", " << o.steps << " steps, alpha = " << o.alpha;
}

#define cudaSafe(x)                                                                                  \
    if (cudaError_t e = (x); e != cudaSuccess) {                                                     \
        std::cerr << "CUDA failure " << cudaGetErrorName(e) << " line " << __LINE__ << std::endl;    \
        std::abort();                                                                                \
    }

template <typename T> class Grid {
    struct Freer {
        void operator()(T *p) const { cudaFree(p); }
    };
    static T *allocate(size_t n)
    {
        T *p = nullptr;
        cudaSafe(cudaMalloc(&p, n * sizeof(T)));
        cudaSafe(cudaMemset(p, 0, n * sizeof(T)));
        return p;
    }
    std::unique_ptr<T, Freer> data_;

public:
    const int nx, ny, pitch;
    Grid(int nx, int ny) : data_(allocate((nx + 2) * (ny + 2))), nx(nx), ny(ny), pitch(nx + 2) {}
    T *origin() const { return data_.get() + pitch + 1; }
    void swap(Grid &other) { data_.swap(other.data_); }
    void set(const T *host)
    {
        cudaSafe(cudaMemcpy2D(origin(), pitch * sizeof(T), host, nx * sizeof(T), nx * sizeof(T), ny, cudaMemcpyHostToDevice));
    }
    void get(T *host) const
    {
        cudaSafe(cudaMemcpy2D(host, nx * sizeof(T), origin(), pitch * sizeof(T), nx * sizeof(T), ny, cudaMemcpyDeviceToHost));
    }
};

template <typename T> struct Field {
    T *p;
    int pitch, nx, ny;
    Field(const Grid<T> &g) : p(g.origin()), pitch(g.pitch), nx(g.nx), ny(g.ny) {}
    __device__ T &operator()(int i, int j) { return p[j * pitch + i]; }
    __device__ T operator()(int i, int j) const { return p[j * pitch + i]; }
};

struct Dirichlet {
    double value = 0.25;
    template <class F> __device__ void operator()(F &f, int i, int j, int, int) const { f(i, j) = 2 * value - f(i, j); }
    template <class F> __device__ double ghost(const F &f, int i, int j) const { return 2 * value - f(i, j); }
};
struct Neumann {
    double flux = 0.1;
    template <class F> __device__ double ghost(const F &f, int i, int j) const { return f(i, j) + flux; }
};

template <class Bc> __global__ void fill_ghosts(Field<double> f, Bc bc)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < f.nx) {
        f(t, -1) = bc.ghost(f, t, 0);
        f(t, f.ny) = bc.ghost(f, t, f.ny - 1);
    }
    if (t < f.ny) {
        f(-1, t) = bc.ghost(f, 0, t);
        f(f.nx, t) = bc.ghost(f, f.nx - 1, t);
    }
}

template <class Derived> class Stencil {
public:
    __device__ double at(const Field<double> &f, int i, int j) const { return derived().apply(f, i, j); }

protected:
    __device__ const Derived &derived() const { return *static_cast<const Derived *>(this); }
};
class Laplacian : public Stencil<Laplacian> {
    friend class Stencil<Laplacian>;
    double cx, cy;
    __device__ double apply(const Field<double> &f, int i, int j) const
    {
        return cx * (f(i - 1, j) - 2 * f(i, j) + f(i + 1, j)) + cy * (f(i, j - 1) - 2 * f(i, j) + f(i, j + 1));
    }

public:
    Laplacian(double x, double y) : cx(x), cy(y) {}
};
class Diffusion : public Stencil<Diffusion> {
    friend class Stencil<Diffusion>;
    double c;
    __device__ double k(double a, double b) const { return c * (1.0 + 0.25 * (a + b) * (a + b)); }
    __device__ double apply(const Field<double> &f, int i, int j) const
    {
        const double here = f(i, j);
        double sum = 0;
        constexpr int offsets[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
        for (auto &[dx, dy] : offsets) {
            const double there = f(i + dx, j + dy);
            sum += k(here, there) * (there - here);
        }
        return sum;
    }

public:
    explicit Diffusion(double v) : c(v) {}
};

template <class S> __global__ void explicit_step(Field<double> out, const Field<double> in, S stencil)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < in.nx && j < in.ny)
        out(i, j) = in(i, j) + stencil.at(in, i, j);
}
__global__ void squares(double *sum, const Field<double> f)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    double v = 0;
    if (i < f.nx && j < f.ny)
        v = f(i, j) * f(i, j);
    for (int o = 16; o; o >>= 1)
        v += __shfl_xor_sync(0xffffffff, v, o);
    if (((threadIdx.y * blockDim.x + threadIdx.x) & 31) == 0)
        atomicAdd(sum, v);
}

template <class S, class Bc> class Solver {
public:
    Solver(int nx, int ny, S stencil, Bc bc = {}) : now_(nx, ny), next_(nx, ny), stencil_(stencil), bc_(bc) {}
    Grid<double> &field() { return now_; }
    void step()
    {
        fill_ghosts<<<(std::max(now_.nx, now_.ny) + 63) / 64, 64>>>(now_, bc_);
        explicit_step<<<grid(), block>>>(next_, now_, stencil_);
        now_.swap(next_);
    }
    double norm() const
    {
        double *sum, value;
        cudaSafe(cudaMalloc(&sum, sizeof(double)));
        cudaSafe(cudaMemset(sum, 0, sizeof(double)));
        squares<<<grid(), block>>>(sum, now_);
        cudaSafe(cudaMemcpy(&value, sum, sizeof(double), cudaMemcpyDeviceToHost));
        cudaSafe(cudaFree(sum));
        return std::sqrt(value);
    }

protected:
    static inline const dim3 block{16, 4};
    dim3 grid() const { return {(now_.nx + block.x - 1) / block.x, (now_.ny + block.y - 1) / block.y}; }
    Grid<double> now_, next_;
    S stencil_;
    Bc bc_;
};
template <class S> class InsulatedSolver : public Solver<S, Neumann> {
    using Base = Solver<S, Neumann>;

public:
    using Base::Base;
    double advance(int steps)
    {
        for (int s = 0; s < steps; ++s)
            this->step();
        return Base::norm();
    }
};

void solve(double *field, double *norms, int nx, int ny, int steps)
{
    Solver<Laplacian, Dirichlet> linear(nx, ny, Laplacian(0.12, 0.15));
    linear.field().set(field);
    for (int s = 0; s < steps; ++s)
        linear.step();
    norms[0] = linear.norm();
    linear.field().get(field);

    InsulatedSolver<Diffusion> nonlinear(nx, ny, Diffusion(0.05), Neumann{0.02});
    nonlinear.field().set(field);
    norms[1] = nonlinear.advance(steps);
    nonlinear.field().get(field);
}

int main(int argc, char **argv)
{
    Options o;
    for (int c; (c = getopt(argc, argv, "x:y:s:v")) != -1;)
        switch (c) {
        case 'x': o.nx = atoi(optarg); break;
        case 'y': o.ny = atoi(optarg); break;
        case 's': o.steps = atoi(optarg); break;
        case 'v': o.verbose = true; break;
        default: return 1;
        }
    if (o.verbose)
        std::cout << o << std::endl;
    double amplitude = 1.0;
    std::vector<double> field(o.nx * o.ny);
    for (int j = 0; j < o.ny; ++j)
        for (int i = 0; i < o.nx; ++i)
            field[j * o.nx + i] = amplitude * std::sin(0.2 * i) * std::cos(0.3 * j);
    double norms[2];
    solve(field.data(), norms, o.nx, o.ny, o.steps);
    std::cout << "norms " << norms[0] << " " << norms[1] << "\n";
}
