/*---
function = "collect"
wrt = ["x"]
of = ["y", "bins"]
[inputs]
x = { shape = [20], random_uniform = 1, low = 0.5, high = 1.5 }
y = { zeros = [20] }
bins = { zeros = [5] }
n = 20
[[cases]]
[[cases]]
name = "array"
function = "rows"
[[cases]]
name = "exchanged"
function = "exchange"
---*/
// Local structs of numbers and a pointer that a loop changes: what the loop restores of their adjoints is the pointer.
struct bin {
    double v[2];
    double *at;
};

__global__ void collect_kernel(double *y, double *bins, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    struct bin b;
    for (int j = 0; j < 2; j++) {
        b.v[j] = x[(i + j) % n];
        b.at = bins + j;
    }
    struct bin *p = &b;
    y[i] = p->v[1] * p->v[0];
    atomicAdd(b.at, p->v[0]);
}

__global__ void rows_kernel(double *y, double *bins, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    struct bin b[2];
    for (int j = 0; j < 2; j++) {
        b[j].at = bins + j;
        b[j].v[0] = x[i];
        b[1 - j].v[1] = x[(i + j) % n];
    }
    struct bin c = b[i & 1];
    y[i] = c.v[0] * c.v[0] * c.v[1];
    atomicAdd(c.at, c.v[1] * c.v[0]);
}

__global__ void exchange_kernel(double *y, double *bins, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    struct bin b = {{x[i], 1.0}, bins}, c = b;
    for (int j = 0; j < 3; j++) {
        c.v[j & 1] *= x[(i + j) % n];
        c.at = bins + j;
        if (c.v[0] > 0.9) {
            struct bin other = b;
            b = c;
            c = other;
        }
    }
    y[i] = c.v[0] * b.v[1];
    atomicAdd(c.at, b.v[0] * c.v[1] * b.v[0]);
}

void collect(double *y, double *bins, const double *x, int n)
{
    collect_kernel<<<2, 16>>>(y, bins, x, n);
}

void rows(double *y, double *bins, const double *x, int n)
{
    rows_kernel<<<2, 16>>>(y, bins, x, n);
}

void exchange(double *y, double *bins, const double *x, int n)
{
    exchange_kernel<<<2, 16>>>(y, bins, x, n);
}
