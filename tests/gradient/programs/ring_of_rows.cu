/*---
function = "drive"
wrt = ["x", "c"]
[inputs]
x = { shape = [30], random_uniform = 1 }
c = { shape = [30], random_uniform = 2 }
n = 30
steps = 13
---*/
// A ring of three rows in one buffer, by offsets that go round: each step writes a row, and then a cell of it.
__global__ void advance(double *h, int to, int from, int before, const double *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double left = i ? h[from * n + i - 1] : 0.0, right = i < n - 1 ? h[from * n + i + 1] : 0.0;
    double middle = h[from * n + i];
    h[to * n + i] = 1.9 * middle - 0.9 * h[before * n + i] + 0.1 * c[i] * middle * (left - 2 * middle + right);
}

__global__ void source(double *h, int at, double w)
{
    if (threadIdx.x == 0)
        h[at] = w * h[at] + w;
}

__global__ void energy(double *out, const double *h, int at, int n)
{
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += h[at * n + i] * h[at * n + i];
        *out = sum;
    }
}

double drive(const double *x, const double *c, int n, int steps)
{
    double *h, *dc, *e, value, total = 0;
    cudaMalloc(&h, 3 * n * sizeof(double));
    cudaMalloc(&dc, n * sizeof(double));
    cudaMalloc(&e, sizeof(double));
    cudaMemcpy(h, x, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(h + n, x, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dc, c, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int t = 2; t < steps; t++) {
        advance<<<(n + 15) / 16, 16>>>(h, t % 3, (t + 2) % 3, (t + 1) % 3, dc, n);
        source<<<1, 32>>>(h, t % 3 * n + n / 2, 0.2 + 0.01 * t);
        if (t % 4 == 0) {
            energy<<<1, 1>>>(e, h, t % 3, n);
            cudaMemcpy(&value, e, sizeof(double), cudaMemcpyDeviceToHost);
            total += value * value;
        }
    }
    energy<<<1, 1>>>(e, h, (steps - 1) % 3, n);
    cudaMemcpy(&value, e, sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(h);
    cudaFree(dc);
    cudaFree(e);
    return total + value;
}
