/*---
function = "dropout"
wrt = ["x", "w"]
of = ["y"]
[inputs]
y = { zeros = [30] }
x = { shape = [120], random = 1 }
w = { shape = [30], random = 2 }
n = 30
keep = 0.7
---*/
// Dropout and noise by Philox, four numbers at once, whose state lives in registers of one launch.
#include <curand_kernel.h>

template <class State> __device__ double noise(State *state, double scale)
{
    float2 two = curand_normal2(state);
    return scale * (two.x + two.y) + 0.1 * curand_uniform_double(state);
}

__global__ void layer(double *y, const double *x, const double *w, int n, float keep, unsigned long long seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    curandStatePhilox4_32_10_t state;
    curand_init(seed, i, 3, &state);
    float4 chosen = curand_uniform4(&state);
    float4 shaken = curand_normal4(&state);
    double s = 0;
    s += chosen.x < keep ? x[4 * i] * (1 + 0.1 * shaken.x) / keep : 0;
    s += chosen.y < keep ? x[4 * i + 1] * (1 + 0.1 * shaken.y) / keep : 0;
    s += chosen.z < keep ? x[4 * i + 2] * (1 + 0.1 * shaken.z) / keep : 0;
    s += chosen.w < keep ? x[4 * i + 3] * (1 + 0.1 * shaken.w) / keep : 0;
    unsigned flip = curand(&state) % 2;
    y[i] = sin(w[i] * s) * (flip ? 1 : -1) + noise(&state, s * w[i]);
}

void dropout(double *y, const double *x, const double *w, int n, float keep)
{
    layer<<<(n + 7) / 8, 8>>>(y, x, w, n, keep, 0x123456789abcdefULL);
}
