/*---
function = "solve"
wrt = ["source", "left", "right"]
of = ["u"]
[inputs]
u = { zeros = [17] }
source = { shape = [17], random = 1 }
n = 17
left = 0.3
right = -0.2
tolerance = 1e-9
[gradcheck]
rtol = 1e-5
---*/
// Newton's method for u'' = u^3 - f: residual and Jacobian on the device, the tridiagonal system by parallel cyclic
// reduction over launches with doubling strides, a damped step chosen on the host by how the residual falls.
#include <math.h>
#include <stdlib.h>

#define THREADS 8

typedef struct {
    double *a, *b, *c, *d;
} System;

__global__ void assemble(System s, const double *u, const double *f, int n, double h2)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    if (i == 0 || i == n - 1) {
        s.a[i] = s.c[i] = s.d[i] = 0.0;
        s.b[i] = 1.0;
        return;
    }
    s.a[i] = s.c[i] = 1.0;
    s.b[i] = -2.0 - 3.0 * h2 * u[i] * u[i];
    s.d[i] = -(u[i - 1] - 2.0 * u[i] + u[i + 1] - h2 * (u[i] * u[i] * u[i] - f[i]));
}

__global__ void reduce(System next, System s, int stride, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double below = 0.0, above = 0.0, a = 0.0, b = s.b[i], c = 0.0, d = s.d[i];
    if (i >= stride) {
        below = s.a[i] / s.b[i - stride];
        a = -s.a[i - stride] * below;
        b -= s.c[i - stride] * below;
        d -= s.d[i - stride] * below;
    }
    if (i + stride < n) {
        above = s.c[i] / s.b[i + stride];
        c = -s.c[i + stride] * above;
        b -= s.a[i + stride] * above;
        d -= s.d[i + stride] * above;
    }
    next.a[i] = a;
    next.b[i] = b;
    next.c[i] = c;
    next.d[i] = d;
}

__global__ void update(double *u, System s, double damping, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        u[i] += damping * s.d[i] / s.b[i];
}

static void make(System *s, int n)
{
    double **parts[4] = {&s->a, &s->b, &s->c, &s->d};
    for (int k = 0; k < 4; k++)
        cudaMalloc((void **)parts[k], n * sizeof(double));
}

static void release(System s)
{
    cudaFree(s.a);
    cudaFree(s.b);
    cudaFree(s.c);
    cudaFree(s.d);
}

static double norm(const double *device, double *host, int n)
{
    double sum = 0.0;
    cudaMemcpy(host, device, n * sizeof(double), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        sum += host[i] * host[i];
    return sqrt(sum);
}

int solve(double *u, const double *source, int n, double left, double right, double tolerance)
{
    System system[2];
    double *d_u, *d_f, *host = (double *)malloc(n * sizeof(double));
    int blocks = (n + THREADS - 1) / THREADS, iterations = 0;
    make(&system[0], n);
    make(&system[1], n);
    cudaMalloc((void **)&d_u, n * sizeof(double));
    cudaMalloc((void **)&d_f, n * sizeof(double));
    for (int i = 0; i < n; i++)
        host[i] = left + (right - left) * i / (n - 1);
    cudaMemcpy(d_u, host, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_f, source, n * sizeof(double), cudaMemcpyHostToDevice);
    double h2 = 1.0 / ((n - 1) * (n - 1)), damping = 0.8;
    while (1) {
        assemble<<<blocks, THREADS>>>(system[0], d_u, d_f, n, h2);
        double residual = norm(system[0].d, host, n);
        if (residual < tolerance || iterations == 20)
            break;
        if (residual < 0.05)
            damping = 1.0;
        int from = 0;
        for (int stride = 1; stride < n; stride *= 2) {
            reduce<<<blocks, THREADS>>>(system[1 - from], system[from], stride, n);
            from = 1 - from;
        }
        update<<<blocks, THREADS>>>(d_u, system[from], damping, n);
        iterations++;
    }
    cudaMemcpy(u, d_u, n * sizeof(double), cudaMemcpyDeviceToHost);
    free(host);
    release(system[0]);
    release(system[1]);
    cudaFree(d_u);
    cudaFree(d_f);
    return iterations;
}
