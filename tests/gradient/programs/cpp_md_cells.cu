/*---
function = "run"
wrt = ["x"]
of = ["x", "energy"]
[inputs]
x = { shape = [40, 3], random_uniform = 1, low = 0.0, high = 6.0 }
energy = { zeros = [1] }
n = 40
steps = 2
---*/
// Molecular dynamics with lists of cells that the host sorts atoms into, forces of a soft potential, velocity Verlet.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <numeric>
#include <vector>

struct Real3 {
    double x, y, z;
};
__host__ __device__ inline Real3 operator-(Real3 a, Real3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
__host__ __device__ inline Real3 operator*(double s, Real3 a) { return {s * a.x, s * a.y, s * a.z}; }
__host__ __device__ inline void operator+=(Real3 &a, Real3 b)
{
    a.x += b.x;
    a.y += b.y;
    a.z += b.z;
}
__host__ __device__ inline double dot(Real3 a, Real3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

struct Box {
    double length;
    int cells;
    __host__ __device__ double wrap(double d) const { return d - length * rint(d / length); }
    __host__ __device__ Real3 nearest(Real3 d) const { return {wrap(d.x), wrap(d.y), wrap(d.z)}; }
    __host__ __device__ int cell(double x) const
    {
        int c = static_cast<int>(floor(x / length * cells)) % cells;
        return c < 0 ? c + cells : c;
    }
    __host__ __device__ int index(int i, int j, int k) const
    {
        auto m = [this](int a) { return (a + cells) % cells; };
        return (m(k) * cells + m(j)) * cells + m(i);
    }
};

struct SoftSphere {
    double cut2, strength;
    __host__ __device__ double operator()(double r2, double &over_r) const
    {
        const double s = cut2 - r2;
        over_r = 4.0 * strength * s;
        return strength * s * s;
    }
};

template <class Pair>
__global__ void forces(Real3 *f, double *e, const Real3 *x, const int *start, const int *order, int n, Box box, Pair pair)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const Real3 here = x[i];
    Real3 sum{0, 0, 0};
    double energy = 0;
    const int ci = box.cell(here.x), cj = box.cell(here.y), ck = box.cell(here.z);
    for (int dk = -1; dk <= 1; ++dk)
        for (int dj = -1; dj <= 1; ++dj)
            for (int di = -1; di <= 1; ++di) {
                const int c = box.index(ci + di, cj + dj, ck + dk);
                for (int p = start[c]; p < start[c + 1]; ++p) {
                    const int j = order[p];
                    if (j == i)
                        continue;
                    const Real3 d = box.nearest(here - x[j]);
                    const double r2 = dot(d, d);
                    if (r2 < pair.cut2) {
                        double over_r;
                        energy += 0.5 * pair(r2, over_r);
                        sum += over_r * d;
                    }
                }
            }
    f[i] = sum;
    e[i] = energy;
}
__global__ void kick(Real3 *x, Real3 *v, const Real3 *f, int n, double dt, bool drift)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        v[i] += 0.5 * dt * f[i];
        if (drift)
            x[i] += dt * v[i];
    }
}

class Simulation {
public:
    Simulation(const double *x, int n, Box b) : n_(n), box(b), host(n), order(n), start(b.cells * b.cells * b.cells + 1)
    {
        for (auto *p : {&dx, &dv, &df})
            cudaMalloc(p, n * sizeof(Real3));
        cudaMalloc(&de, n * sizeof(double));
        cudaMalloc(&d_order, n * sizeof(int));
        cudaMalloc(&d_start, start.size() * sizeof(int));
        cudaMemcpy(dx, x, n * sizeof(Real3), cudaMemcpyHostToDevice);
        cudaMemset(dv, 0, n * sizeof(Real3));
        compute();
    }
    ~Simulation()
    {
        cudaFree(dx);
        cudaFree(dv);
        cudaFree(df);
        cudaFree(de);
        cudaFree(d_order);
        cudaFree(d_start);
    }
    void step(double dt)
    {
        kick<<<grid(), block>>>(dx, dv, df, n_, dt, true);
        compute();
        kick<<<grid(), block>>>(dx, dv, df, n_, dt, false);
    }
    double energy() const
    {
        auto e = std::make_unique<double[]>(n_);
        cudaMemcpy(e.get(), de, n_ * sizeof(double), cudaMemcpyDeviceToHost);
        return std::accumulate(e.get(), e.get() + n_, 0.0);
    }
    void positions(double *x) const { cudaMemcpy(x, dx, n_ * sizeof(Real3), cudaMemcpyDeviceToHost); }

private:
    static constexpr int block = 16;
    int n_;
    Box box;
    std::vector<Real3> host;
    std::vector<int> order, start;
    Real3 *dx, *dv, *df;
    double *de;
    int *d_order, *d_start;

    int grid() const { return (n_ + block - 1) / block; }
    void sort()
    {
        cudaMemcpy(host.data(), dx, n_ * sizeof(Real3), cudaMemcpyDeviceToHost);
        std::vector<int> cell(n_);
        std::fill(start.begin(), start.end(), 0);
        for (int i = 0; i < n_; ++i) {
            cell[i] = box.index(box.cell(host[i].x), box.cell(host[i].y), box.cell(host[i].z));
            ++start[cell[i] + 1];
        }
        std::partial_sum(start.begin(), start.end(), start.begin());
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return cell[a] < cell[b]; });
        cudaMemcpy(d_order, order.data(), n_ * sizeof(int), cudaMemcpyHostToDevice);
        cudaMemcpy(d_start, start.data(), start.size() * sizeof(int), cudaMemcpyHostToDevice);
    }
    void compute()
    {
        sort();
        forces<<<grid(), block>>>(df, de, dx, d_start, d_order, n_, box, SoftSphere{1.44, 0.8});
    }
};

void run(double *x, double *energy, int n, int steps)
{
    Simulation md(x, n, Box{6.0, 4});
    for (int s = 0; s < steps; ++s)
        md.step(0.02);
    energy[0] = md.energy();
    md.positions(x);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 512;
    double spread = 6.0;
    std::vector<double> x(3 * n);
    unsigned state = 7;
    for (auto &c : x) {
        state = state * 1664525u + 1013904223u;
        c = spread * (state >> 8) / (double)(1 << 24);
    }
    double energy;
    auto begin = std::chrono::steady_clock::now();
    run(x.data(), &energy, n, 2);
    auto end = std::chrono::steady_clock::now();
    std::cout << "Energy " << energy << " time " << std::chrono::duration<double, std::milli>(end - begin).count() << " ms"
              << std::endl;
}
