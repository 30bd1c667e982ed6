/*---
function = "flow"
wrt = ["f", "omega"]
of = ["f"]
[inputs]
f = { shape = [180], random_uniform = 1, low = 0.08, high = 0.14 }
omega = 1.1
nx = 5
ny = 4
steps = 2
---*/
// D2Q9 lattice Boltzmann: constexpr tables of directions, a traits class, a cell proxy with a layout policy.
struct D2Q9 {
    static constexpr int Q = 9;
    static constexpr int cx[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
    static constexpr int cy[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    static constexpr double w[Q] = {4. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 36, 1. / 36, 1. / 36, 1. / 36};
};

struct ArrayOfStructs {
    __device__ static int at(int cell, int q, int) { return cell * D2Q9::Q + q; }
};
struct StructOfArrays {
    __device__ static int at(int cell, int q, int cells) { return q * cells + cell; }
};

template <class Layout> class Cells {
public:
    __host__ __device__ Cells(double *f, int nx, int ny) : f_(f), nx_(nx), ny_(ny) {}
    __device__ double &operator()(int x, int y, int q) const { return f_[Layout::at(y * nx_ + x, q, nx_ * ny_)]; }
    __device__ int wrap_x(int x) const { return (x + nx_) % nx_; }
    __device__ int wrap_y(int y) const { return (y + ny_) % ny_; }
    __device__ bool contains(int x, int y) const { return x < nx_ && y < ny_; }

private:
    double *f_;
    int nx_, ny_;
};

template <class Model, class Layout> __global__ void collide_stream(Cells<Layout> out, Cells<Layout> in, double omega)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (!in.contains(x, y))
        return;
    double f[Model::Q], rho = 0, ux = 0, uy = 0;
#pragma unroll
    for (int q = 0; q < Model::Q; ++q) {
        f[q] = in(in.wrap_x(x - Model::cx[q]), in.wrap_y(y - Model::cy[q]), q);
        rho += f[q];
        ux += f[q] * Model::cx[q];
        uy += f[q] * Model::cy[q];
    }
    ux /= rho;
    uy /= rho;
    const double u2 = 1.5 * (ux * ux + uy * uy);
    for (int q = 0; q < Model::Q; ++q) {
        const double cu = 3.0 * (Model::cx[q] * ux + Model::cy[q] * uy);
        const double equilibrium = Model::w[q] * rho * (1.0 + cu + 0.5 * cu * cu - u2);
        out(x, y, q) = f[q] + omega * (equilibrium - f[q]);
    }
}

template <class Layout> static void run(double *a, double *b, double omega, int nx, int ny, int steps)
{
    const dim3 block(2, 2), grid((nx + 1) / 2, (ny + 1) / 2);
    Cells<Layout> now{a, nx, ny}, next{b, nx, ny};
    for (int s = 0; s < steps; ++s) {
        collide_stream<D2Q9><<<grid, block>>>(next, now, omega);
        collide_stream<D2Q9><<<grid, block>>>(now, next, omega);
    }
}

void flow(double *f, double omega, int nx, int ny, int steps)
{
    double *a, *b;
    const size_t bytes = D2Q9::Q * nx * ny * sizeof *a;
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMemcpy(a, f, bytes, cudaMemcpyHostToDevice);
    run<ArrayOfStructs>(a, b, omega, nx, ny, steps);
    run<StructOfArrays>(a, b, 0.9 * omega, nx, ny, 1);
    cudaMemcpy(f, a, bytes, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
}
