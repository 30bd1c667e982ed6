/*---
function = "reduce"
wrt = ["x"]
of = ["out"]
[inputs]
out = { zeros = [5] }
x = { shape = [300], random = 1 }
n = 300
---*/
// Attributes of functions, types, variables and statements, as three compilers spell them; a reduction without barriers
// in its last warp, in volatile memory.
#define ALWAYS __attribute__((always_inline)) inline
#define UNROLL _Pragma("unroll")

struct __attribute__((aligned(16))) Quad {
    double a, b;
};
struct alignas(32) Wide {
    double at[4];
};

[[nodiscard]] __device__ ALWAYS double squared(const double v) noexcept { return v * v; }
__device__ __attribute__((noinline)) double folded(Quad q) { return q.a + 0.5 * q.b; }
__device__ static __forceinline__ double weight([[maybe_unused]] int i, int j) { return 1.0 / (1 + j % 7); }

__device__ void last_warp(volatile double *sums, int t)
{
    sums[t] += sums[t + 32];
    __syncwarp();
    UNROLL
    for (int step = 16; step > 0; step /= 2) {
        double other = sums[t + step];
        __syncwarp();
        sums[t] += other;
        __syncwarp();
    }
}

__global__ void __launch_bounds__(64, 2) partial(double *__restrict__ out, const double *__restrict__ x, int n)
{
    __shared__ double sums[64];
    [[maybe_unused]] const int unused = 3;
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    Quad q = {i < n ? squared(x[i]) : 0, i < n ? x[i] : 0};
    Wide w = {{folded(q), 0, 0, 0}};
    sums[t] = w.at[0] * weight(i, t);
    __syncthreads();
    if (__builtin_expect(t < 32, 1))
        last_warp(sums, t);
    if (t == 0) [[likely]]
        out[blockIdx.x] = sums[0];
}

void reduce(double *out, const double *x, int n) { partial<<<(n + 63) / 64, 64>>>(out, x, n); }
