/*---
[[cases]]
name = "host"
function = "twice"
wrt = ["a"]
inputs = { a = 1.3 }

[[cases]]
name = "device"
function = "all"
wrt = ["x", "s"]
of = ["y"]
inputs = { y = { zeros = [21] }, x = { shape = [21], random = 1 }, s = 0.7, n = 21 }
---*/
// Functions that change the struct they are given by value: the caller's stays as it is.
typedef struct { double c[2]; double w; int k; } Part;

__host__ __device__ double changed(Part p)
{
    p.w *= 2;
    p.c[p.k] += p.w;
    return p.w * p.c[0];
}

double twice(double a)
{
    Part p;
    p.c[0] = a * a;
    p.c[1] = 1;
    p.k = 0;
    p.w = a;
    double r = changed(p);
    return r * p.w * p.c[0];
}

__device__ void set(double *to, double value) { *to = value * value; }

__device__ double by_address(Part p, double v)
{
    set(&p.w, v);
    double *c = p.c;
    c[1] = v * p.w;
    return p.w + p.c[1];
}

__device__ double behind_its_back(Part p, double *w)
{
    *w = 3 * p.c[0];
    return p.w * p.c[1];
}

__global__ void all_kernel(double *y, const double *x, Part p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    p.c[1] = x[i];
    double first = changed(p) * p.w * p.c[0];
    double second = by_address(p, x[i]) * p.w * p.c[1];
    double third = behind_its_back(p, &p.w) * p.w;
    y[i] = first + second * third;
}

void all(double *y, const double *x, double s, int n)
{
    Part p = {{s, s * s}, sin(s), 0};
    all_kernel<<<(n + 7) / 8, 8>>>(y, x, p, n);
}
