/*---
function = "march"
wrt = ["u"]
of = ["u"]
[inputs]
u = { shape = [17], random_uniform = 1, low = 0.3, high = 1.2 }
n = 17
steps = 5
[[cases]]
name = "no_limit"

[[cases]]
name = "recorded"
memory_limit = "9kB"
---*/
// Memory that is allocated in each step, but outlives it, or whose size is another each time: not one memory for all.
__global__ void advance(const double *u, double *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] = u[i] + 0.1 * u[i] * (u[(i + 1) % n] - u[i] * u[i]);
}

__global__ void spread(double *u, const double *few, int count)
{
    int i = threadIdx.x;
    if (i < count)
        u[i] *= 1 + 0.1 * few[i];
}

__global__ void pick(double *few, const double *u, int count)
{
    int i = threadIdx.x;
    if (i < count)
        few[i] = u[i] * u[i + 1];
}

void march(double *u, int n, int steps)
{
    double *now;
    cudaMalloc(&now, n * sizeof(double));
    cudaMemcpy(now, u, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; t++) {
        double *next, *few;
        cudaMalloc(&next, n * sizeof(double));
        advance<<<(n + 7) / 8, 8>>>(now, next, n);
        cudaFree(now);
        now = next;
        cudaMalloc(&few, (t + 1) * sizeof(double));
        pick<<<1, 8>>>(few, now, t + 1);
        spread<<<1, 8>>>(now, few, t + 1);
        cudaFree(few);
    }
    cudaMemcpy(u, now, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(now);
}
