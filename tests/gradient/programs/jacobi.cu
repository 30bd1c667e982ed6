/*---
function = "jacobi_1d"
wrt = ["a", "b"]
of = ["a", "b"]
[inputs]
a = { shape = [21], random = 1 }
b = { shape = [21], random = 2 }
n = 21
steps = 3

[[cases]]
name = "one_dimension"

[[cases]]
name = "two_dimensions"
function = "jacobi_2d"
[cases.inputs]
a = { shape = [8, 8], random = 1 }
b = { shape = [8, 8], random = 2 }
n = 8
---*/
// Jacobi sweeps between two arrays, in one dimension with a copying kernel, in two with the roles exchanged.
__global__ void average_1d(double *b, const double *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1]);
}

__global__ void copy_1d(double *a, const double *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        a[i] = b[i];
}

void jacobi_1d(double *a, double *b, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        average_1d<<<(n + 7) / 8, 8>>>(b, a, n);
        copy_1d<<<(n + 7) / 8, 8>>>(a, b, n);
    }
}

__global__ void average_2d(double *b, const double *a, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i > 0 && i < n - 1 && j > 0 && j < n - 1)
        b[i * n + j] = 0.2 * (a[i * n + j] + a[i * n + j - 1] + a[i * n + j + 1] + a[(i + 1) * n + j]
                              + a[(i - 1) * n + j]);
}

void jacobi_2d(double *a, double *b, int n, int steps)
{
    dim3 block(4, 4), grid((n + 3) / 4, (n + 3) / 4);
    for (int t = 0; t < steps; t++) {
        average_2d<<<grid, block>>>(b, a, n);
        average_2d<<<grid, block>>>(a, b, n);
    }
}
