/*---
wrt = ["x"]
of = ["y"]
launch = { grid = [3], block = [16] }
[inputs]
y = { zeros = [60] }
x = { shape = [60], random = 1 }
n = 41
m = 5

[[cases]]
function = "scalar"
[[cases]]
function = "nested"
[[cases]]
function = "inner_only"
[[cases]]
function = "members"
[[cases]]
function = "in_shared"
[[cases]]
function = "downwards"
[[cases]]
function = "sometimes"
[[cases]]
function = "by_stride"
[[cases]]
function = "through_pointer"
---*/
// Iterations of a loop store to one cell: only the last store counts.
__global__ void scalar(double *y, const double *x, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int q = 0; q < m; q++)
            y[i] = x[i] * x[(i + q) % n];
}

__global__ void nested(double *y, const double *x, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / m)
        for (int q = 0; q < 3; q++)
            for (int r = 0; r < m; r++)
                y[i * m + r] = x[i] * x[(i + q * r + q) % n];
}

__global__ void inner_only(double *y, const double *x, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / m)
        for (int r = 0; r < m; r++)
            for (int q = 0; q < 3; q++)
                y[i * m + r] = x[i] * x[(i + q * r + q) % n];
}

struct cell {
    double a, b;
};

__global__ void members(double *y, const double *x, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    struct cell *cells = (struct cell *)y;
    if (i < n / 2)
        for (int q = 0; q < m; q++) {
            cells[i].a = x[i] * x[(i + q) % n];
            cells[i].b = x[(i + 2 * q) % n] * x[q];
        }
}

__global__ void in_shared(double *y, const double *x, int n, int m)
{
    __shared__ double s[16];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    for (int q = 0; q < m; q++)
        s[t] = x[(i + q) % n] * x[(t + 3 * q) % n];
    __syncthreads();
    if (i < n)
        y[i] = s[15 - t] * s[t];
}

__global__ void downwards(double *y, const double *x, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2)
        for (int q = 2 * m; q > 0; q -= 3)
            y[i + q % 2 * (n / 2)] = x[i] * x[(i + q) % n];
}

__global__ void sometimes(double *y, const double *x, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int q = 0; q < m; q++)
            if (x[(i + q) % n] > 0)
                y[i] = x[i] * x[(i + q) % n];
}

__global__ void by_stride(double *y, const double *x, int n, int m)
{
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < 3 * n; i += gridDim.x * blockDim.x)
        if (i % 48 < n)
            y[i % 48] = x[i % n] * x[i % n] + i;
}

__global__ void through_pointer(double *y, const double *x, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double *mine = y + i;
    if (i < n)
        for (int q = 0; q < m; q++)
            *mine = x[i] * x[(i + q) % n];
}
