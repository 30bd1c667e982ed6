/*---
function = "cleared"
wrt = ["x", "y"]
of = ["y"]
reference = { x = "np.where(np.arange(32) < 8, 2 * x * adj_y, 0)", y = "np.where(np.arange(32) < 8, 0, adj_y)" }
[inputs]
y = { shape = [32], random = 1 }
x = { shape = [32], random = 2 }
---*/
// cudaMemset over a part of a buffer: the old values there no longer count, the others do.
__global__ void add_squares(double *y, const double *x, int n)
{
    int i = threadIdx.x;
    if (i < n)
        y[i] += x[i] * x[i];
}

void cleared(double *y, const double *x)
{
    cudaMemset(y, 0, 8 * sizeof(double));
    add_squares<<<1, 32>>>(y, x, 8);
}
