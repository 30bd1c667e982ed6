/*---
function = "run"
wrt = ["x", "y"]
of = ["out"]
[inputs]
out = { zeros = [16] }
y = { shape = [16], random = 1 }
x = { shape = [8], random = 2 }
n = 12
s = 3
steps = 3
---*/
// Two runs of cells that are overwritten, the second one place further in its row: a box has cells of both, and of
// neither one all.
__global__ void two(double *y, const double *x, int n, int s)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < s) {
        y[i + 1] = 1.5 * x[i];
        y[i + n] = x[i] * x[i + 1];
    }
}
__global__ void add(double *out, const double *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 16)
        out[i] += sin(y[i]);
}
__global__ void grow(double *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 16)
        y[i] = y[i] * y[i] + 0.25;
}
void run(double *out, const double *y, const double *x, int n, int s, int steps)
{
    double *d;
    cudaMalloc(&d, 16 * sizeof(double));
    cudaMemcpy(d, y, 16 * sizeof(double), cudaMemcpyDefault);
    for (int k = 0; k < steps; ++k) {
        add<<<4, 5>>>(out, d);
        two<<<2, 2>>>(d, x, n, s);
        add<<<4, 5>>>(out, d);
        grow<<<4, 5>>>(d);
    }
    cudaFree(d);
}
