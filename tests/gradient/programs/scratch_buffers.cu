/*---
function = "refine"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [70] }
x = { shape = [70], random_uniform = 1, low = 0.5, high = 1.2 }
n = 70
steps = 2
[[cases]]
[[cases]]
name = "no steps"
inputs = { steps = 0 }
---*/
// Device memory that is written in part, or not at all, before a kernel overwrites it.
__global__ void square(double *t, const double *x, int first, int n)
{
    int i = first + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        t[i] = x[i] * x[i];
}

__global__ void mix(double *t, const double *x, int first, int n)
{
    int i = first + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        t[i] = sin(t[i] * x[i]) + 0.25 * t[i];
}

void refine(double *y, const double *x, int n, int steps)
{
    double *t, *w, *d_x;
    size_t bytes = n * sizeof(double);
    cudaMalloc(&t, bytes);
    cudaMalloc(&w, bytes);
    cudaMalloc(&d_x, bytes);
    cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice);
    square<<<(n + 31) / 32, 32>>>(t, d_x, n / 2, n);
    mix<<<(n + 31) / 32, 32>>>(t, d_x, n / 2, n);
    square<<<(n + 31) / 32, 32>>>(t, d_x, 0, n / 2);
    for (int s = 0; s < steps; s++) {
        square<<<(n + 31) / 32, 32>>>(w, t, 0, n);
        mix<<<(n + 31) / 32, 32>>>(w, d_x, 0, n);
        mix<<<(n + 31) / 32, 32>>>(t, w, 0, n);
        double *fresh;
        cudaMalloc(&fresh, bytes);
        square<<<(n + 31) / 32, 32>>>(fresh, t, s, n);
        mix<<<(n + 31) / 32, 32>>>(d_x, fresh, s, n);
        cudaFree(fresh);
    }
    mix<<<(n + 31) / 32, 32>>>(t, d_x, 0, n);
    cudaMemcpy(y, t, bytes, cudaMemcpyDeviceToHost);
    cudaFree(t);
    cudaFree(w);
    cudaFree(d_x);
}
