/*---
function = "march"
wrt = ["u", "rate"]
of = ["u"]
[inputs]
u = { shape = [37], random_uniform = 1, low = 0.3, high = 1.2 }
rate = { shape = [37], random_uniform = 2, low = 0.1, high = 0.5 }
n = 37
steps = 5
dt = 0.05
blocks = 5

[[cases]]
name = "no_limit"

[[cases]]
name = "checkpoints"
memory_limit = "16kB"

[[cases]]
name = "too_few_threads"
inputs = { blocks = 3 }

[[cases]]
name = "float"
defines = { real = "float" }
[cases.gradcheck]
rtol = 2e-2
---*/
// Buffers that a launch fills in each step from what the step has not changed yet: they need not be saved, where the same
// cells are filled each time, from the same, and by nobody else.
#ifndef real
#define real double
#endif

__global__ void flux(const real *u, real *f, real dt, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        real left = u[i], right = u[i + 1 < n ? i + 1 : 0];
        if (left > right)
            f[i] = dt * (left * left + (left - right) * (left - right));
        else
            f[i] = dt * left * left;
    }
}

__global__ void speed(const real *f, real *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = f[i] / (1 + f[i] * f[i]);
}

__global__ void move(real *u, const real *f, const real *c, const real *rate, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        u[i] += rate[i] * (f[i > 0 ? i - 1 : n - 1] - f[i]) * c[i];
}

__global__ void one_of(real *few, const real *u, int t, int n)
{
    if (threadIdx.x == 0)
        few[t % n] = u[t % n] * u[t % n];
}

__global__ void some(real *big, const real *u, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && u[i] > (real)0.7)
        big[i] = (u[i] - (real)0.7) * (u[i] - (real)0.7);
}

__global__ void pull(real *u, const real *few, const real *big, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        u[i] -= (real)0.01 * (few[i] * few[i] + big[i] * big[i]);
}

__global__ void grow(real *u, const real *rate, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        u[i] *= 1 + (real)0.1 * rate[i];
}

void march(real *u, const real *rate, int n, int steps, real dt, int blocks)
{
    real *d_u, *d_rate, *f, *c, *late, *few, *big;
    const size_t bytes = n * sizeof(real);
    cudaMalloc(&d_u, bytes);
    cudaMalloc(&d_rate, bytes);
    cudaMalloc(&f, bytes);
    cudaMalloc(&c, bytes);
    cudaMalloc(&late, bytes);
    cudaMalloc(&few, bytes);
    cudaMalloc(&big, bytes);
    cudaMemcpy(d_u, u, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_rate, rate, bytes, cudaMemcpyHostToDevice);
    cudaMemset(f, 0, bytes);
    cudaMemset(late, 0, bytes);
    cudaMemset(few, 0, bytes);
    cudaMemset(big, 0, bytes);
    real *g;
    cudaMalloc(&g, bytes);
    for (int t = 0; t < steps; t++) {
        flux<<<5, 8>>>(d_u, g, dt, n);
        speed<<<5, 8>>>(g, c, n);
        move<<<5, 8>>>(d_u, g, c, d_rate, n);
        flux<<<blocks, 8>>>(d_u, late, dt, n);
        grow<<<5, 8>>>(d_u, d_rate, n);
        move<<<5, 8>>>(d_u, late, c, d_rate, n);
        one_of<<<1, 1>>>(few, d_u, t, n);
        some<<<5, 8>>>(big, d_u, n);
        pull<<<5, 8>>>(d_u, few, big, n);
        if (t % 2 == 0) {
            flux<<<blocks, 8>>>(d_u, f, dt, n);
            move<<<5, 8>>>(d_u, f, c, d_rate, n);
        }
        dt *= (real)0.95;
    }
    cudaMemcpy(u, d_u, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_u);
    cudaFree(d_rate);
    cudaFree(f);
    cudaFree(c);
    cudaFree(g);
    cudaFree(late);
    cudaFree(few);
    cudaFree(big);
}
