/*---
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [420] }
x = { shape = [60], random = 1 }
n = 53
m = 7

[[cases]]
function = "columns"
[[cases]]
function = "blocks"
[[cases]]
function = "triangles"
[[cases]]
function = "pairs"
[[cases]]
function = "chosen"
[[cases]]
function = "strided"
[[cases]]
function = "wandering"
[[cases]]
function = "reread"
---*/
// Each thread stores many cells in loops, and the program overwrites them: what was stored first has no adjoint.
__global__ void column(double *y, const double *x, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int q = 0; q < m; q++)
            y[q * n + i] = x[i] * x[(i + q) % n];
}

__global__ void block(double *y, const double *x, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 6)
        for (int q = 0; q < m; q++)
            for (int r = 0; r < 6; r++)
                y[(i * m + q) * 6 + r] = sin(x[i * 6 + r]) * x[q];
}

__global__ void triangle(double *y, const double *x, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int q = i % m; q < m; q++)
            y[i * m + q] = x[i] * x[i] * x[q];
}

// Two iterations store one cell: the second one counts.
__global__ void pair(double *y, const double *x, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int q = 0; q < 2 * m; q++)
            y[q / 2 * n + i] = x[i] * x[(i + q) % n];
}

__global__ void some(double *y, const double *x, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int q = 0; q < m; q++)
            if (x[(i + q) % n] > 0)
                y[q * n + i] = x[i] * x[i];
}

__global__ void stride(double *y, const double *x, int n, int m)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        for (int q = m - 1; q >= 0; q--)
            y[q * n + i] = x[i] * x[(i + q) % n];
}

// The loop changes what the cell depends on.
__global__ void wander(double *y, const double *x, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = i;
    if (i < n)
        for (int q = 0; q < m; q++) {
            y[at] = x[i] * x[(i + q) % n];
            at += q % 3 == 2 ? 0 : n;
        }
}

__global__ void read_too(double *y, const double *x, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int q = 0; q < m; q++)
            y[q * n + i] = y[q * n + i] * x[i] + x[(i + q) % n];
}

__global__ void weigh(double *x, const double *y, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double sum = 0;
        for (int q = 0; q < m; q++)
            sum += y[i * m + q] * (q + 1);
        x[i] = 0.5 * tanh(0.1 * sum) + 0.1 * x[i];
    }
}

#define PROGRAM(name, kernel)                                                                                          \
    void name(double *y, const double *x, int n, int m)                                                                \
    {                                                                                                                  \
        double *d_y, *d_x;                                                                                             \
        cudaMalloc((void **)&d_y, 420 * sizeof(double));                                                               \
        cudaMalloc((void **)&d_x, 60 * sizeof(double));                                                                \
        cudaMemset(d_y, 0, 420 * sizeof(double));                                                                      \
        cudaMemcpy(d_x, x, 60 * sizeof(double), cudaMemcpyHostToDevice);                                               \
        for (int t = 0; t < 3; t++) {                                                                                  \
            kernel<<<4, 16>>>(d_y, d_x, n, m);                                                                         \
            weigh<<<4, 16>>>(d_x, d_y, n, m);                                                                          \
        }                                                                                                              \
        kernel<<<4, 16>>>(d_y, d_x, n, m);                                                                             \
        cudaMemcpy(y, d_y, 420 * sizeof(double), cudaMemcpyDeviceToHost);                                              \
        cudaFree(d_y);                                                                                                 \
        cudaFree(d_x);                                                                                                 \
    }

PROGRAM(columns, column)
PROGRAM(blocks, block)
PROGRAM(triangles, triangle)
PROGRAM(pairs, pair)
PROGRAM(chosen, some)
PROGRAM(strided, stride)
PROGRAM(wandering, wander)
PROGRAM(reread, read_too)
