/*---
function = "wave"
wrt = ["u", "v", "c"]
of = ["u"]
[inputs]
u = { shape = [378], random = 1 }
v = { shape = [378], random = 2 }
c = { shape = [378], random_uniform = 3, low = 0.7, high = 1.2 }
nx = 21
ny = 18
steps = 5
dt = 0.3
order = 2

[[cases]]
name = "fourth order"

[[cases]]
name = "second order"
inputs = { order = 1, steps = 4 }
---*/
// Waves of second or fourth order in space: weights in specialisations, views with accessors, and buffers in a std::array
// whose elements take turns.
#include <array>
namespace fd {
template <int R> struct Coef;
template <> struct Coef<1> { static constexpr float c[2] = {-2.0f, 1.0f}; };
template <> struct Coef<2> { static constexpr float c[3] = {-2.5f, 4.0f / 3.0f, -1.0f / 12.0f}; };
template <typename T> struct View2 {
    T *p; int nx, ny;
    __host__ __device__ T &operator()(int i, int j) const { return p[j * nx + i]; }
    __host__ __device__ bool inside(int i, int j, int r) const { return i >= r && j >= r && i < nx - r && j < ny - r; }
};
template <typename T, int R>
__global__ void step(View2<T> next, View2<const T> now, View2<const T> vel, T dt)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (!now.inside(i, j, R)) return;
    T lap = 2 * Coef<R>::c[0] * now(i, j);
#pragma unroll
    for (int k = 1; k <= R; ++k)
        lap += Coef<R>::c[k] * (now(i + k, j) + now(i - k, j) + now(i, j + k) + now(i, j - k));
    next(i, j) = 2 * now(i, j) - next(i, j) + dt * dt * vel(i, j) * vel(i, j) * lap;
}
}
template <int R> void run_order(float *u, float *v, const float *c, int nx, int ny, int steps, float dt)
{
    const size_t bytes = sizeof(float) * nx * ny;
    std::array<float *, 3> d{};
    for (auto &p : d) cudaMalloc(&p, bytes);
    cudaMemcpy(d[0], u, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d[1], v, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d[2], c, bytes, cudaMemcpyHostToDevice);
    const dim3 block{16, 8}, grid{(nx + 15u) / 16, (ny + 7u) / 8};
    for (int s = 0; s < steps; ++s) {
        fd::step<float, R><<<grid, block>>>({d[1], nx, ny}, {d[0], nx, ny}, {d[2], nx, ny}, dt);
        std::swap(d[0], d[1]);
    }
    cudaMemcpy(u, d[0], bytes, cudaMemcpyDeviceToHost);
    for (auto p : d) cudaFree(p);
}
void wave(float *u, float *v, const float *c, int nx, int ny, int steps, float dt, int order)
{
    if (order == 1) run_order<1>(u, v, c, nx, ny, steps, dt);
    else run_order<2>(u, v, c, nx, ny, steps, dt);
}
