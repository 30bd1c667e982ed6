/*---
function = "price"
wrt = ["spot", "vol"]
of = ["out"]
[inputs]
out = { zeros = [24] }
spot = { shape = [24], random_uniform = 1, low = 0.9, high = 1.1 }
vol = 0.3
n = 24
steps = 5
---*/
// Paths of a price by XORWOW: each thread has a sequence of its own, whose state is kept between two launches.
#include <curand_kernel.h>

__global__ void setup(curandState *states, unsigned long long seed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        curand_init(seed, i, 0, &states[i]);
}

__global__ void walk(double *value, curandState *states, double vol, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    curandState own = states[i];
    double s = value[i];
    const double dt = 1.0 / steps;
    for (int k = 0; k < steps; ++k) {
        s *= exp(-0.5 * vol * vol * dt + vol * sqrt(dt) * curand_normal(&own));
        if (curand_uniform(&own) < 0.2f)
            s += 0.01 * curand_normal_double(&own) * s * s;
    }
    states[i] = own;
    value[i] = s;
}

void price(double *out, const double *spot, double vol, int n, int steps)
{
    curandState *states;
    cudaMalloc(&states, n * sizeof(curandState));
    cudaMemcpy(out, spot, n * sizeof(double), cudaMemcpyDeviceToDevice);
    setup<<<(n + 15) / 16, 16>>>(states, 1234ULL, n);
    for (int part = 0; part < 2; ++part)
        walk<<<(n + 15) / 16, 16>>>(out, states, vol, n, steps);
    cudaFree(states);
}
