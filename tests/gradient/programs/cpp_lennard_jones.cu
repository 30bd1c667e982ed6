/*---
function = "md_energy"
wrt = ["pos", "epsilon", "sigma"]
of = ["energy"]
[inputs]
energy = { zeros = [1] }
pos = { shape = [39], random_uniform = 3, low = 0.0, high = 4.0 }
epsilon = 0.7
sigma = 0.9
n = 13
---*/
// Pair energies with vector algebra in the manner of helper_math.h, an enum class, a namespace of constants, and a
// functor as the potential.
#include <cuda_runtime.h>
#include <cmath>
#include <vector_types.h>

namespace md {
constexpr int kBlock = 8;
constexpr double kCutoff = 3.2;
enum class Truncation : int { Sharp = 0, Shifted = 1 };
}  // namespace md

inline __host__ __device__ double3 operator-(double3 a, double3 b) { return make_double3(a.x - b.x, a.y - b.y, a.z - b.z); }
inline __host__ __device__ double3 operator*(double3 a, double s) { return make_double3(a.x * s, a.y * s, a.z * s); }
inline __host__ __device__ void operator+=(double3 &a, const double3 &b)
{
    a.x += b.x;
    a.y += b.y;
    a.z += b.z;
}
inline __host__ __device__ double dot(const double3 &a, const double3 &b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline __host__ __device__ double length(double3 v) { return sqrt(dot(v, v)); }

template <md::Truncation Mode> struct LennardJones {
    double epsilon, sigma;
    __host__ __device__ double raw(double r2) const
    {
        const double s2 = sigma * sigma / (r2 + 0.3);
        const double s6 = s2 * s2 * s2;
        return 4.0 * epsilon * (s6 * s6 - s6);
    }
    __host__ __device__ double operator()(double r2) const
    {
        if constexpr (Mode == md::Truncation::Shifted)
            return raw(r2) - raw(md::kCutoff * md::kCutoff);
        else
            return raw(r2);
    }
};

template <class Potential>
__global__ void pair_energy(const double3 *__restrict__ pos, double *__restrict__ per_atom, Potential potential, int n)
{
    const int i = blockIdx.x * md::kBlock + threadIdx.x;
    if (i >= n)
        return;
    const auto mine = pos[i];
    double sum = 0.0;
    double3 drift = make_double3(0.0, 0.0, 0.0);
    for (int j = 0; j < n; ++j) {
        if (j == i)
            continue;
        const double3 d = mine - pos[j];
        const auto r2 = dot(d, d);
        if (r2 < md::kCutoff * md::kCutoff)
            sum += potential(r2);
        drift += d * 0.01;
    }
    per_atom[i] = 0.5 * sum + length(drift);
}

void md_energy(double *energy, const double *pos, double epsilon, double sigma, int n)
{
    double3 *d_pos = nullptr;
    double *d_atoms = nullptr;
    cudaMalloc(reinterpret_cast<void **>(&d_pos), n * sizeof(double3));
    cudaMalloc(reinterpret_cast<void **>(&d_atoms), n * sizeof(double));
    cudaMemcpy(d_pos, pos, n * sizeof(double3), cudaMemcpyHostToDevice);
    LennardJones<md::Truncation::Shifted> lj{epsilon, sigma};
    pair_energy<<<(n + md::kBlock - 1) / md::kBlock, md::kBlock>>>(d_pos, d_atoms, lj, n);
    auto *atoms = new double[n];
    cudaMemcpy(atoms, d_atoms, n * sizeof(double), cudaMemcpyDeviceToHost);
    double total = 0.0;
    for (int i = 0; i < n; ++i)
        total += atoms[i];
    *energy = total;
    delete[] atoms;
    cudaFree(d_pos);
    cudaFree(d_atoms);
}
