/*---
[[cases]]
name = "swapped"
function = "evolve"
wrt = ["u0", "s"]
inputs = { u0 = { shape = [9, 11], random = 1 }, nx = 11, ny = 9, steps = 5, s = 0.9 }

[[cases]]
name = "of_the_caller"
function = "scale"
wrt = ["u"]
of = ["u"]
inputs = { u = { shape = [19], random = 3 }, n = 19 }

[[cases]]
name = "number_overwritten"
function = "overwrite"
wrt = ["u", "a"]
of = ["u"]
inputs = { u = { shape = [19], random = 4 }, n = 19, a = 0.8 }
---*/
// Structs that hold inactive numbers beside active device pointers, passed to kernels by value.
#include <math.h>
typedef struct { int nx, ny; double dx; double *u, *v; } Grid;

__device__ double flux(const Grid g, int i, int j)
{
    int k = j * g.nx + i;
    if (i <= 0 || j <= 0 || i >= g.nx - 1 || j >= g.ny - 1)
        return g.u[k];
    return g.u[k] + 0.11 * (g.u[k - 1] * g.u[k + 1] - g.u[k]) + 0.23 * sin(g.u[k + g.nx]) - 0.07 * g.u[k - g.nx] / g.dx;
}

__global__ void step(Grid g, double s)
{
    for (int j = blockIdx.y * blockDim.y + threadIdx.y; j < g.ny; j += gridDim.y * blockDim.y)
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < g.nx; i += gridDim.x * blockDim.x)
            g.v[j * g.nx + i] = s * flux(g, i, j);
}

double evolve(const double *u0, int nx, int ny, int steps, double s)
{
    int n = nx * ny;
    Grid g;
    g.nx = nx;
    g.ny = ny;
    g.dx = 0.7;
    double last[128], sum = 0;
    cudaMalloc((void **)&g.u, n * sizeof(double));
    cudaMalloc((void **)&g.v, n * sizeof(double));
    cudaMemcpy(g.u, u0, n * sizeof(double), cudaMemcpyHostToDevice);
    dim3 block(4, 2), grid(2, 3);
    for (int t = 0; t < steps; t++) {
        step<<<grid, block>>>(g, s);
        double *tmp = g.u;
        g.u = g.v;
        g.v = tmp;
        s = s / (1.0 + 0.01 * s);
        g.dx = g.dx + 0.1;
    }
    cudaMemcpy(last, g.u, n * sizeof(double), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        sum += last[i] * last[i];
    cudaFree(g.u);
    cudaFree(g.v);
    return sqrt(sum);
}

typedef struct { int n; double dx; double *u; } Line;

__global__ void divide(Line g)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < g.n)
        g.u[i] = g.u[i] * g.u[i] / g.dx;
}

void scale(double *u, int n)
{
    Line g;
    g.n = n;
    g.dx = 0.7;
    g.u = u;
    divide<<<(n + 7) / 8, 8>>>(g);
    g.dx = 1.3;
    divide<<<(n + 7) / 8, 8>>>(g);
}

__global__ void through(Line g, double a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < g.n) {
        a = a * g.u[i];
        g.dx = g.dx * a + sin(a);
        g.u[i] = g.dx * g.u[i];
    }
}

void overwrite(double *u, int n, double a)
{
    Line g;
    g.n = n;
    g.dx = 0.7;
    g.u = u;
    through<<<(n + 7) / 8, 8>>>(g, a);
    through<<<(n + 7) / 8, 8>>>(g, a * a + g.dx);
}
