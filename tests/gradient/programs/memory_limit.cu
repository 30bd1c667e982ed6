/*---
function = "simulate"
wrt = ["start", "rate"]
memory_limit = "12kB"
[inputs]
start = { shape = [90], random_uniform = 1, low = 0.2, high = 1.0 }
rate = { shape = [90], random_uniform = 2, low = 0.1, high = 0.5 }
n = 90
steps = 40
every = 7

[[cases]]
name = "checkpoints"

[[cases]]
name = "checkpoints_in_host_memory"
memory_limit = 8500
host_memory = 9000

[[cases]]
name = "all_recorded"
memory_limit = "1 MiB"

[[cases]]
name = "no_steps"
inputs = { steps = 0 }
---*/
// A reaction and diffusion run under a memory limit, with a misfit summed every few steps in a scalar of the state.
__global__ void advance(const double *u, double *v, const double *rate, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double left = u[i > 0 ? i - 1 : 0], right = u[i < n - 1 ? i + 1 : n - 1];
        v[i] = u[i] + 0.1 * (left - 2 * u[i] + right) + 0.05 * rate[i] * u[i] * (1 - u[i]);
    }
}

__global__ void square_sum(double *out, const double *u, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += u[i] * u[i];
    *out = sum;
}

double simulate(const double *start, const double *rate, int n, int steps, int every)
{
    double *u, *v, *d_rate, *d_sum, misfit = 0;
    size_t bytes = n * sizeof(double);
    cudaMalloc(&u, bytes);
    cudaMalloc(&v, bytes);
    cudaMalloc(&d_rate, bytes);
    cudaMalloc(&d_sum, sizeof(double));
    cudaMemcpy(u, start, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_rate, rate, bytes, cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; t++) {
        advance<<<(n + 31) / 32, 32>>>(u, v, d_rate, n);
        double *w = u;
        u = v;
        v = w;
        if (t % every == 0) {
            double sum;
            square_sum<<<1, 1>>>(d_sum, u, n);
            cudaMemcpy(&sum, d_sum, sizeof(double), cudaMemcpyDeviceToHost);
            misfit += sum * (1 + 0.1 * misfit);
        }
    }
    cudaFree(u);
    cudaFree(v);
    cudaFree(d_rate);
    cudaFree(d_sum);
    return misfit;
}
