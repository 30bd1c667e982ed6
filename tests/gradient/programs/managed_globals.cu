/*---
function = "cool"
wrt = ["t", "rate"]
of = ["t"]
[inputs]
t = { shape = [13], random = 1 }
rate = 0.3
n = 13
[[cases]]
[[cases]]
name = "kernel"
function = "step"
inputs = { t = { shape = [13], random = 1 }, rate = 0.3, n = 13 }
wrt = ["t", "rate"]
of = ["t"]
launch = { grid = 2, block = 8 }
---*/
// Managed variables in C: one that the host uses, one that it copies from by its symbol too, one that only kernels and copies use.
__managed__ double ambient = 0.25;
__managed__ double sums[2];
__managed__ double offset = 0.125;

__global__ void step(double *t, double rate, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double d = t[i] - ambient;
        t[i] -= rate * d * fabs(d) + offset * rate * t[i];
        atomicAdd(&sums[i % 2], t[i] * d);
    }
}

void cool(double *t, double rate, int n)
{
    double *d_t, both[2], later = 0.5 * rate;
    cudaMalloc((void **)&d_t, n * sizeof(double));
    cudaMemcpy(d_t, t, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(offset, &later, sizeof(double));
    for (int k = 0; k < 3; k++) {
        ambient = ambient * rate + 0.1 * k;
        step<<<(n + 7) / 8, 8>>>(d_t, rate, n);
        cudaDeviceSynchronize();
        sums[0] *= 0.5;
    }
    cudaMemcpyFromSymbol(both, sums, sizeof(both));
    cudaMemcpy(t, d_t, n * sizeof(double), cudaMemcpyDeviceToHost);
    t[0] += both[0] * both[1] + sums[1];
    cudaFree(d_t);
}
