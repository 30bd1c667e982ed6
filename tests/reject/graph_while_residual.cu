/*---
function = "solve"
wrt = ["b"]
of = ["x"]
graph = true
error = "UnsupportedError"
help = "without graph=True"
---*/
__global__ void relax(int n, const double *b, const double *x, double *y, double *change)
{
    int i = threadIdx.x;
    if (i < n) {
        y[i] = 0.5 * x[i] + 0.25 * b[i];
        atomicAdd(change, (y[i] - x[i]) * (y[i] - x[i]));
    }
}

void solve(int n, const double *b, double *x)
{
    double *y, *d_change, change = 1;
    cudaMalloc((void **)&y, n * sizeof(double));
    cudaMalloc((void **)&d_change, sizeof(double));
    while (change > 1e-6) {  // expected-error: what runs on the device here depends on data that was read back from the device (line 27)
    //     ^
        cudaMemset(d_change, 0, sizeof(double));
        relax<<<1, 32>>>(n, b, x, y, d_change);
        cudaMemcpy(&change, d_change, sizeof(double), cudaMemcpyDeviceToHost);
        double *t = x;
        x = y;
        y = t;
    }
    cudaFree(d_change);
}
