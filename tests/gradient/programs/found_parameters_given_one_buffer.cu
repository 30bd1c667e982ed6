/*---
function = "run"
wrt = ["x", "y"]
of = ["y"]
reference = { x = "y * adj_y", y = "x * adj_y" }
[inputs]
x = { shape = [2], random_uniform = 1, low = -1.0, high = 1.0 }
y = { shape = [2], random_uniform = 2, low = -1.0, high = 1.0 }
---*/
// Two parameters are given one buffer, and the kernel reads it through the first only.
__global__ void multiply(double *w, const double *r, const double *unused)
{
    int i = threadIdx.x;
    w[i] = r[i] * w[i];
}

void run(const double *x, double *y)
{
    double *d_x;
    cudaMalloc(&d_x, 2 * sizeof(double));
    cudaMemcpy(d_x, x, 2 * sizeof(double), cudaMemcpyHostToDevice);
    multiply<<<1, 2>>>(y, d_x, d_x);
    cudaFree(d_x);
}
