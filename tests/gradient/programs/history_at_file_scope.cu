/*---
function = "go"
wrt = ["x"]
of = ["y"]
[inputs]
x = { shape = [24], random = 1 }
y = { zeros = [24] }
n = 24
---*/
// A history in a variable of the device; the row comes from another one, from the host, or from neither.
__device__ double hist[24 * 6];
__device__ int row;
__global__ void begin(const double *x, int n)
{
    int i = threadIdx.x;
    if (i < n)
        hist[i] = x[i];
    if (i == 0)
        row = 0;
}

__global__ void next(int n)
{
    int i = threadIdx.x;
    if (i < n)
        hist[(row + 1) * n + i] = sin(hist[row * n + i]) + 0.5 * hist[row * n + (i + 1) % n];
}

__global__ void bump()
{
    row++;
}

__global__ void fix(int t, int n, double v)
{
    if (threadIdx.x == 3)
        hist[t * n + threadIdx.x] *= v * hist[t * n];
}

__global__ void copyout(double *y, int t, int n)
{
    int i = threadIdx.x;
    if (i < n)
        y[i] = hist[t * n + i] * hist[(t - 1) * n + i];
}

void go(double *y, const double *x, int n)
{
    double *dx, *dy;
    cudaMalloc(&dx, n * sizeof(double));
    cudaMalloc(&dy, n * sizeof(double));
    cudaMemcpy(dx, x, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int rep = 0; rep < 2; rep++) {
        begin<<<1, 32>>>(dx, n);
        for (int t = 1; t < 6; t++) {
            next<<<1, 32>>>(n);
            bump<<<1, 1>>>();
            fix<<<1, 32>>>(t, n, 0.4 + 0.1 * t);
        }
        copyout<<<1, 32>>>(dx, 5, n);
    }
    copyout<<<1, 32>>>(dy, 4, n);
    cudaMemcpy(y, dy, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(dx);
    cudaFree(dy);
}
