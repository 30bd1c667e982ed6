/*---
function = "run"
wrt = ["x"]
of = ["y"]
[inputs]
x = { shape = [9], random = 1 }
y = { zeros = [9] }
n = 9
[reference]
x = "adj_y * (np.float64(np.float32(0.1)) + 2 * x * 0.3 / np.float64(np.float32(0.7)) + 3.5 + np.float64(np.float32(1e-3)))"
---*/
// Literals of float that meet doubles: 0.1f is not 0.1, and 3.5f is 3.5.
__global__ void run_kernel(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double slope = 1e-3f;
    y[i] = 0.1f * x[i] + x[i] * x[i] * 0.3 / 0.7f + 3.5f * x[i] + slope * x[i] + 0.2f;
}

void run(double *y, const double *x, int n)
{
    run_kernel<<<1, 16>>>(y, x, n);
}
