/*---
function = "march"
wrt = ["u", "rate"]
of = ["u"]
[inputs]
u = { shape = [23], random_uniform = 1, low = 0.3, high = 1.2 }
rate = { shape = [23], random_uniform = 2, low = 0.1, high = 0.5 }
n = 23
steps = 8
every = 3

[[cases]]
name = "no_limit"

[[cases]]
name = "checkpoints"
memory_limit = 6000

[[cases]]
name = "no_steps"
memory_limit = 6000
inputs = { steps = 0 }

[[cases]]
name = "float"
memory_limit = 4500
defines = { real = "float" }
[cases.gradcheck]
rtol = 2e-2
---*/
// Memory that each step allocates and frees: in a helper, in an inner loop, in some steps alone; it is used more than
// once, and what it holds is needed by the reverse sweep.
#include <stdlib.h>

#ifndef real
#define real double
#endif

#define CHECK(call)             \
    if ((call) != cudaSuccess)  \
    exit(1)

__global__ void slope(const real *u, real *du, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        du[i] = u[(i + 1) % n] * u[i] - u[(i + n - 1) % n];
}

__global__ void add(real *u, const real *du, const real *rate, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        u[i] += (real)0.05 * rate[i] * du[i] * du[i];
}

__global__ void half_of(real *few, const real *u, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2)
        few[i] = u[2 * i] * u[2 * i + 1];
}

__global__ void damp(real *u, const real *few, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2)
        u[i] -= (real)0.1 * few[i] * few[i];
}

static void explicit_step(real *u, const real *rate, int n)
{
    real *du = NULL;
    const size_t bytes = n * sizeof(real);
    CHECK(cudaMalloc(&du, bytes));
    slope<<<(n + 7) / 8, 8>>>(u, du, n);
    add<<<(n + 7) / 8, 8>>>(u, du, rate, n);
    slope<<<(n + 7) / 8, 8>>>(u, du, n);
    add<<<(n + 7) / 8, 8>>>(u, du, rate, n);
    CHECK(cudaFree(du));
}

void march(real *u, const real *rate, int n, int steps, int every)
{
    real *d_u, *d_rate;
    cudaMalloc(&d_u, n * sizeof(real));
    cudaMalloc(&d_rate, n * sizeof(real));
    cudaMemcpy(d_u, u, n * sizeof(real), cudaMemcpyHostToDevice);
    cudaMemcpy(d_rate, rate, n * sizeof(real), cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; t++) {
        explicit_step(d_u, d_rate, n);
        if (t % every == 0) {
            real *few;
            cudaMalloc(&few, n / 2 * sizeof(real));
            for (int again = 0; again < 2; again++) {
                real *sum = (real *)malloc(sizeof(real));
                half_of<<<(n + 7) / 8, 8>>>(few, d_u, n);
                damp<<<(n + 7) / 8, 8>>>(d_u, few, n);
                cudaMemcpy(sum, few + again, sizeof(real), cudaMemcpyDeviceToHost);
                *sum = *sum / (1 + *sum * *sum);
                cudaMemcpy(d_u + n - 1 - again, sum, sizeof(real), cudaMemcpyHostToDevice);
                free(sum);
            }
            cudaFree(few);
        }
    }
    cudaMemcpy(u, d_u, n * sizeof(real), cudaMemcpyDeviceToHost);
    cudaFree(d_u);
    cudaFree(d_rate);
}
