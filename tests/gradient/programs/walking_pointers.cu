/*---
wrt = ["x", "y"]
of = ["y"]
[launch]
grid = 3
block = 8
[inputs]
y = { shape = [80], random_uniform = 1, low = 0.3, high = 1.7 }
x = { shape = [80], random_uniform = 2, low = 0.3, high = 1.7 }
n = 21

[[cases]]
name = "sum"
function = "sum"

[[cases]]
name = "dot"
function = "dot"

[[cases]]
name = "until_end"
function = "until_end"

[[cases]]
name = "store_on"
function = "store_on"

[[cases]]
name = "largest"
function = "largest"

[[cases]]
name = "swapped"
function = "swapped"
---*/
// Pointers that a loop moves: their adjoints' pointers move with them, forwards and backwards.
__global__ void sum(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double s = 0;
    const double *p = x + i;
    for (int j = 0; j < 4; j++) {
        s = sin(s) + *p++ * x[i];
    }
    y[i] = s * *p;
}

__device__ double product(const double *a, const double *b, int n)
{
    double s = 0;
    while (n-- > 0)
        s += *a++ * *b++;
    return s;
}

__global__ void dot(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = product(x, x + i, 4);
}

__global__ void until_end(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double s = y[i];
    for (const double *p = x, *end = x + n; p < end; p += 2)
        s = sin(s + *p);
    y[i] = s;
}

__global__ void store_on(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double *out = y + 3 * i;
    for (int j = 0; j < 3; j++)
        *out++ = x[i] * x[j];
}

__global__ void largest(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double a[3] = {x[i], x[i + 1], x[i + 2]};
    double *m = a;
    for (int j = 1; j < 3; j++)
        if (a[j] > *m)
            m = a + j;
    *m = *m * *m;
    y[i] = a[0] * a[1] * a[2];
}

__global__ void swapped(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double u[3] = {x[i], x[i + 1], x[i + 2]}, v[3], *p = u, *q = v;
    for (int t = 0; t < i; t++) {
        for (int j = 0; j < 3; j++)
            q[j] = sin(p[j] * p[(j + 1) % 3]);
        double *r = p;
        p = q;
        q = r;
    }
    y[i] = p[0] + p[1] * p[2];
}
