/*---
function = "advance"
wrt = ["state", "charge"]
of = ["energy"]
[inputs]
energy = { zeros = [23] }
state = { shape = [92], random_uniform = 1, low = 0.5, high = 1.5 }
charge = { shape = [23], random_uniform = 2, low = 0.5, high = 1.0 }
n = 23
steps = 3
[gradcheck]
rtol = 0.05
---*/
// Records of halves beside floats, packed on the device, read by neighbours, copied as a whole and by value.
#include <cuda_fp16.h>

struct Particle {
    half2 place;
    float mass;
    __half charge[2];
    int index;
};

__global__ void pack(Particle *out, const float *state, const half *charge, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Particle p;
    p.place = __floats2half2_rn(state[4 * i], state[4 * i + 1]);
    p.mass = state[4 * i + 2];
    p.charge[0] = charge[i];
    p.charge[1] = __float2half(state[4 * i + 3]);
    p.index = (i * 7 + 3) % n;
    out[i] = p;
}

__device__ float pull(const Particle &a, const Particle &b)
{
    half2 d = __hsub2(a.place, b.place);
    half r = __hfma(d.x, d.x, __hmul(d.y, d.y)) + __float2half(0.5f);
    return a.mass * b.mass * __half2float(hrcp(r)) * __half2float(a.charge[0] * b.charge[1]);
}

__global__ void move(Particle *to, const Particle *from, float step, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Particle own = from[i];
    float f = step * pull(own, from[own.index]);
    own.place.x += __float2half(f);
    own.mass *= 1 + f;
    to[i] = own;
}

__global__ void measure(float *energy, const Particle *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        energy[i] = p[i].mass * (__low2float(p[i].place) + __high2float(p[i].place)) + pull(p[i], p[p[i].index]);
}

void advance(float *energy, const float *state, const half *charge, int n, int steps)
{
    Particle *now, *next;
    int blocks = (n + 15) / 16;
    cudaMalloc(&now, n * sizeof(Particle));
    cudaMalloc(&next, n * sizeof(Particle));
    pack<<<blocks, 16>>>(now, state, charge, n);
    for (int s = 0; s < steps; ++s) {
        move<<<blocks, 16>>>(next, now, 0.1f, n);
        Particle *other = now;
        now = next;
        next = other;
    }
    measure<<<blocks, 16>>>(energy, now, n);
    cudaFree(now);
    cudaFree(next);
}
