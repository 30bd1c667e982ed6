/*---
function = "propagate"
wrt = ["psi", "potential"]
of = ["psi"]
[inputs]
psi = { shape = [40], random = 1 }
potential = { shape = [20], random = 2 }
n = 20
steps = 13
dt = 0.05

[[cases]]
name = "checkpoints"
memory_limit = "12kB"

[[cases]]
name = "odd"
memory_limit = "12kB"
inputs = { psi = { shape = [42], random = 1 }, potential = { shape = [21], random = 2 }, n = 21, steps = 12 }

[[cases]]
name = "no_limit"

[[cases]]
name = "no_steps"
memory_limit = "12kB"
inputs = { steps = 0 }

[[cases]]
name = "float"
memory_limit = "8kB"
defines = { real = "float", pair = "cufftComplex", KIND = "CUFFT_C2C", FFT_exec = "cufftExecC2C" }
[cases.gradcheck]
rtol = 2e-2
---*/
// A nonlinear Schroedinger equation by splitting, under a memory limit: two transforms a step, which need memory to work in.
#include <cufft.h>

#ifndef real
#define real double
#define pair cufftDoubleComplex
#define KIND CUFFT_Z2Z
#define FFT_exec cufftExecZ2Z
#endif

__global__ void turn(pair *psi, const real *potential, int n, real dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        real x = psi[i].x, y = psi[i].y;
        real angle = -dt * (potential[i] + (real)0.5 * (x * x + y * y));
        psi[i].x = cos(angle) * x - sin(angle) * y;
        psi[i].y = sin(angle) * x + cos(angle) * y;
    }
}

__global__ void drift(pair *psi, int n, real dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int k = i <= n / 2 ? i : i - n;
        real angle = -(real)0.5 * dt * k * k, x = psi[i].x, y = psi[i].y;
        psi[i].x = (cos(angle) * x - sin(angle) * y) / n;
        psi[i].y = (sin(angle) * x + cos(angle) * y) / n;
    }
}

void propagate(real *psi, const real *potential, int n, int steps, real dt)
{
    cufftHandle plan;
    pair *d_psi;
    real *d_potential;
    cufftPlan1d(&plan, n, KIND, 1);
    cudaMalloc(&d_psi, n * sizeof(pair));
    cudaMalloc(&d_potential, n * sizeof(real));
    cudaMemcpy(d_psi, psi, n * sizeof(pair), cudaMemcpyHostToDevice);
    cudaMemcpy(d_potential, potential, n * sizeof(real), cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; t++) {
        turn<<<(n + 15) / 16, 16>>>(d_psi, d_potential, n, dt);
        FFT_exec(plan, d_psi, d_psi, CUFFT_FORWARD);
        drift<<<(n + 15) / 16, 16>>>(d_psi, n, dt);
        FFT_exec(plan, d_psi, d_psi, CUFFT_INVERSE);
    }
    cudaMemcpy(psi, d_psi, n * sizeof(pair), cudaMemcpyDeviceToHost);
    cufftDestroy(plan);
    cudaFree(d_psi);
    cudaFree(d_potential);
}
