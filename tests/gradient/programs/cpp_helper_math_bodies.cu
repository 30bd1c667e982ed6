/*---
function = "advance"
wrt = ["bodies", "softening"]
of = ["bodies"]
[inputs]
bodies = { shape = [34, 4], random = 1 }
softening = 0.3
n = 34
steps = 2
---*/
// Bodies by header-only vector algebra over CUDA's own vector types, tiles in shared memory, a templated block size.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>

inline __host__ __device__ double3 make_double3(const double4 &a) { return make_double3(a.x, a.y, a.z); }
inline __host__ __device__ double3 make_double3(double s) { return make_double3(s, s, s); }
inline __host__ __device__ double4 make_double4(const double3 &a, double w) { return make_double4(a.x, a.y, a.z, w); }
inline __host__ __device__ double3 operator+(const double3 &a, const double3 &b)
{
    return make_double3(a.x + b.x, a.y + b.y, a.z + b.z);
}
inline __host__ __device__ double3 operator-(const double3 &a, const double3 &b)
{
    return make_double3(a.x - b.x, a.y - b.y, a.z - b.z);
}
inline __host__ __device__ double3 operator*(const double3 &a, double s) { return make_double3(a.x * s, a.y * s, a.z * s); }
inline __host__ __device__ double3 operator*(double s, const double3 &a) { return a * s; }
inline __host__ __device__ double3 operator/(const double3 &a, double s) { return a * (1.0 / s); }
inline __host__ __device__ void operator+=(double3 &a, const double3 &b)
{
    a.x += b.x;
    a.y += b.y;
    a.z += b.z;
}
inline __host__ __device__ void operator*=(double3 &a, double s) { a = a * s; }
inline __host__ __device__ double3 operator-(const double3 &a) { return make_double3(-a.x, -a.y, -a.z); }
inline __host__ __device__ double dot(const double3 &a, const double3 &b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline __host__ __device__ double length(const double3 &a) { return sqrt(dot(a, a)); }
inline __host__ __device__ double3 cross(const double3 &a, const double3 &b)
{
    return make_double3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
inline __host__ __device__ double3 normalize(const double3 &a) { return a / length(a); }
inline __host__ __device__ double3 lerp(const double3 &a, const double3 &b, double t) { return a + t * (b - a); }

template <int BLOCK>
__global__ void integrate(double4 *__restrict__ out, double3 *__restrict__ velocity, const double4 *__restrict__ in, int n,
                          double dt, double soft)
{
    __shared__ double4 tile[BLOCK];
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    const double4 me = i < n ? in[i] : make_double4(0.0, 0.0, 0.0, 0.0);
    double3 pull = make_double3(0.0);
    for (int start = 0; start < n; start += BLOCK) {
        const int j = start + threadIdx.x;
        tile[threadIdx.x] = j < n ? in[j] : make_double4(make_double3(0.0), 0.0);
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < BLOCK; ++k) {
            const double3 d = make_double3(tile[k]) - make_double3(me);
            const double inverse = rsqrt(dot(d, d) + soft * soft);
            pull += d * (tile[k].w * tile[k].w * inverse * inverse * inverse);
        }
        __syncthreads();
    }
    if (i >= n)
        return;
    const double3 axis = normalize(make_double3(0.2, -0.4, 1.0));
    double3 v = velocity[i];
    v += dt * (pull + 0.1 * cross(axis, v));
    v *= 0.99;
    v = lerp(v, -make_double3(me), 0.01);
    velocity[i] = v;
    out[i] = make_double4(make_double3(me) + v * dt, me.w);
}

template <int BLOCK> void launch(double4 *&now, double4 *&next, double3 *velocity, int n, double dt, double soft)
{
    integrate<BLOCK><<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(next, velocity, now, n, dt, soft);
    double4 *held = now;
    now = next;
    next = held;
}

void advance(double *bodies, double softening, int n, int steps)
{
    double4 *now, *next;
    double3 *velocity;
    const auto bytes = n * sizeof(double4);
    cudaMalloc(&now, bytes);
    cudaMalloc(&next, bytes);
    cudaMalloc(&velocity, n * sizeof(double3));
    cudaMemset(velocity, 0, n * sizeof(double3));
    cudaMemcpy(now, bodies, bytes, cudaMemcpyHostToDevice);
    for (int s = 0; s < steps; ++s)
        if (s & 1)
            launch<8>(now, next, velocity, n, 0.05, softening);
        else
            launch<16>(now, next, velocity, n, 0.05, softening);
    cudaMemcpy(bodies, now, bytes, cudaMemcpyDeviceToHost);
    cudaFree(now);
    cudaFree(next);
    cudaFree(velocity);
}

struct Options {
    int bodies = 64, steps = 3;
    bool quiet = false;
};
static Options parse(int argc, char **argv)
{
    Options o;
    for (int i = 1; i < argc; ++i) {
        const std::string arg = argv[i];
        if (arg == "-n" && i + 1 < argc)
            o.bodies = atoi(argv[++i]);
        else if (arg == "--steps" && i + 1 < argc)
            o.steps = atoi(argv[++i]);
        else if (!strcmp(argv[i], "-q"))
            o.quiet = true;
    }
    return o;
}
int main(int argc, char **argv)
{
    const Options o = parse(argc, argv);
    double softening = 0.4;
    double *h = new double[4 * o.bodies];
    for (int i = 0; i < 4 * o.bodies; ++i)
        h[i] = ((i * 7919) % 101) / 50.5 - 1.0;
    advance(h, softening, o.bodies, o.steps);
    double spread = 0;
    for (int i = 0; i < o.bodies; ++i)
        spread += h[4 * i] * h[4 * i] + h[4 * i + 1];
    if (!o.quiet)
        std::cout << "spread: " << spread << std::endl;
    delete[] h;
}
