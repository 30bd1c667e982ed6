/*---
function = "gesummv"
wrt = ["a", "b", "x", "alpha", "beta"]
of = ["y"]
reference = { x = "alpha * a.T @ adj_y + beta * b.T @ adj_y", alpha = "np.dot(adj_y, a @ x)", beta = "np.dot(adj_y, b @ x)" }
[inputs]
y = { zeros = [10] }
a = { shape = [10, 10], random = 1 }
b = { shape = [10, 10], random = 2 }
x = { shape = [10], random = 3 }
alpha = 0.8
beta = -1.1
n = 10
---*/
// y = alpha A x + beta B x, two sums in one loop.
__global__ void gesummv_kernel(double *y, const double *a, const double *b, const double *x, double alpha, double beta,
                               int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double from_a = 0.0, from_b = 0.0;
    for (int j = 0; j < n; j++) {
        from_a += a[i * n + j] * x[j];
        from_b += b[i * n + j] * x[j];
    }
    y[i] = alpha * from_a + beta * from_b;
}

void gesummv(double *y, const double *a, const double *b, const double *x, double alpha, double beta, int n)
{
    gesummv_kernel<<<(n + 3) / 4, 4>>>(y, a, b, x, alpha, beta, n);
}
