/*---
function = "adi"
wrt = ["x", "a"]
of = ["x", "b"]
[inputs]
x = { shape = [7, 7], random = 1 }
a = { shape = [7, 7], random_uniform = 2, low = 0.1, high = 0.4 }
b = { shape = [7, 7], random_uniform = 3, low = 2.0, high = 3.0 }
n = 7
steps = 2
---*/
// Alternating directions: recurrences along rows and columns within a thread, in place, and back again.
__global__ void along_rows(double *x, const double *a, double *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    for (int j = 1; j < n; j++) {
        x[i * n + j] = x[i * n + j] - x[i * n + j - 1] * a[i * n + j] / b[i * n + j - 1];
        b[i * n + j] = b[i * n + j] - a[i * n + j] * a[i * n + j] / b[i * n + j - 1];
    }
    x[i * n + n - 1] = x[i * n + n - 1] / b[i * n + n - 1];
    for (int j = 0; j < n - 2; j++)
        x[i * n + n - j - 2] =
            (x[i * n + n - 2 - j] - x[i * n + n - 3 - j] * a[i * n + n - j - 3]) / b[i * n + n - 3 - j];
}

__global__ void along_columns(double *x, const double *a, const double *b, int n, int i)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < n)
        x[i * n + j] -= x[(i - 1) * n + j] * a[i * n + j] / b[(i - 1) * n + j];
}

void adi(double *x, const double *a, double *b, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        along_rows<<<(n + 3) / 4, 4>>>(x, a, b, n);
        for (int i = 1; i < n; i++)
            along_columns<<<(n + 3) / 4, 4>>>(x, a, b, n, i);
    }
}
