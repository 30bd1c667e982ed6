/*---
function = "run"
wrt = ["pos", "mass"]
of = ["acc"]
[inputs]
pos = { shape = [17, 3], random = 3 }
mass = { shape = [17], random_uniform = 4, low = 0.3, high = 1.2 }
acc = { zeros = [17, 3] }
n = 17
steps = 3
---*/
// Functors that hold arrays of pointers, some of them to const, in lists: forces in components, and two kicks.
#include <cmath>
#include <array>
#include <algorithm>
namespace sim {
template <class F> __global__ void each(F f, int n) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) f(i); }
template <class F> void parallel(int n, F f) { each<F><<<2, 5>>>(f, n); }
struct Gravity {
    const double *p[3]; double *a[3]; const double *m; int n; double eps2;
    __device__ void operator()(int i) const
    {
        double s[3] = {0, 0, 0};
        for (int j = 0; j < n; ++j) {
            double d[3], r2 = eps2;
            for (int c = 0; c < 3; c++) { d[c] = p[c][j] - p[c][i]; r2 += d[c] * d[c]; }
            double w = m[j] * rsqrt(r2) / r2;
            for (int c = 0; c < 3; c++) s[c] += w * d[c];
        }
        for (int c = 0; c < 3; c++) a[c][i] = s[c];
    }
};
struct Kick { double *v[3]; const double *a[3]; double h; __device__ void operator()(int i) const { for (int c = 2; c >= 0; --c) v[c][i] += h * a[c][i]; } };
}
void run(double *acc, const double *pos, const double *mass, int n, int steps)
{
    std::array<double *, 3> p, v, a;
    double *m;
    std::array<double, 64> host;
    for (int c = 0; c < 3; ++c) {
        cudaMalloc(&p[c], n * sizeof(double)); cudaMalloc(&v[c], n * sizeof(double)); cudaMalloc(&a[c], n * sizeof(double));
        for (int i = 0; i < n; i++) host[i] = pos[3 * i + c];
        cudaMemcpy(p[c], host.data(), n * sizeof(double), cudaMemcpyHostToDevice);
        cudaMemset(v[c], 0, n * sizeof(double));
    }
    cudaMalloc(&m, n * sizeof(double));
    cudaMemcpy(m, mass, n * sizeof(double), cudaMemcpyHostToDevice);
    double h = 0.1;
    for (int s = 0; s < steps; s++, h *= 0.9) {
        sim::parallel(n, sim::Gravity{{p[0], p[1], p[2]}, {a[0], a[1], a[2]}, m, n, 0.2});
        sim::parallel(n, sim::Kick{{v[0], v[1], v[2]}, {a[0], a[1], a[2]}, h});
        sim::parallel(n, sim::Kick{{p[0], p[1], p[2]}, {v[0], v[1], v[2]}, h});
        if (s == 1) std::swap(p[0], p[2]);
        double *q = p[1];
        sim::parallel(n, [=] __device__(int i) { q[i] = q[i] / (1 + h * q[i] * q[i]); });
    }
    for (int c = 0; c < 3; ++c) {
        cudaMemcpy(host.data(), a[c], n * sizeof(double), cudaMemcpyDeviceToHost);
        for (int i = 0; i < n; i++) acc[3 * i + c] = host[i] * (c + 1);
        cudaFree(p[c]); cudaFree(v[c]); cudaFree(a[c]);
    }
    cudaFree(m);
}
