/*---
function = "go"
wrt = ["x"]
of = ["y"]
[inputs]
x = { shape = [40], random = 1 }
y = { zeros = [40] }
n = 40
---*/
// Integers that steer later kernels are overwritten in parts.
__global__ void mark(int *flags, const double *x, int from, int to, double level)
{
    int i = from + threadIdx.x;
    if (i < to)
        flags[i] = x[i] > level ? i + 1 : flags[i] / 2;
}

__global__ void use(double *y, const double *x, const int *flags, int n)
{
    int i = threadIdx.x;
    if (i < n)
        y[i] = y[i] * 0.5 + x[flags[i] % n] * x[i] * (1 + flags[i]);
}

__global__ void feed(double *x, const double *y, int a, int b)
{
    int i = a + threadIdx.x;
    if (i < b)
        x[i] = sin(y[i] * 0.01) * x[i];
}

void go(double *y, const double *x, int n)
{
    double *dx, *dy;
    int *f;
    cudaMalloc(&dx, n * 8);
    cudaMalloc(&dy, n * 8);
    cudaMalloc(&f, n * sizeof(int));
    cudaMemcpy(dx, x, n * 8, cudaMemcpyHostToDevice);
    cudaMemset(dy, 0, n * 8);
    cudaMemset(f, 0, n * sizeof(int));
    for (int t = 0; t < 5; t++) {
        mark<<<1, 32>>>(f, dx, 4 * t, 4 * t + 16, 0.1 * t);
        use<<<1, 64>>>(dy, dx, f, n);
        feed<<<1, 32>>>(dx, dy, 30 - 5 * t, 40 - 3 * t);
        cudaMemset(f + 10 + t, 0, 3 * sizeof(int));
    }
    cudaMemcpy(y, dy, n * 8, cudaMemcpyDeviceToHost);
    cudaFree(dx);
    cudaFree(dy);
    cudaFree(f);
}
