/*---
function = "kinetic_energy"
wrt = ["lid", "viscosity"]
[inputs]
lid = 0.08
viscosity = 0.05
nx = 10
ny = 9
steps = 100
[gradcheck]
rtol = 1e-5
---*/
// A lattice Boltzmann solver (D2Q9, collision and streaming in kernels of their own) over a hundred steps: how the
// energy of the flow in a cavity depends on the speed of its lid and on the viscosity.
#include <stdlib.h>

#define Q 9
__constant__ double w[Q];
__constant__ int cx[Q];
__constant__ int cy[Q];
__constant__ int opposite[Q];

static const double host_w[Q] = {4. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 36, 1. / 36, 1. / 36, 1. / 36};
static const int host_cx[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
static const int host_cy[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const int host_opposite[Q] = {0, 3, 4, 1, 2, 7, 8, 5, 6};

__global__ void initialise(double *f, int cells)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < cells)
        for (int q = 0; q < Q; q++)
            f[q * cells + i] = w[q];
}

__global__ void collide(double *f, double tau, int cells)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells)
        return;
    double rho = 0.0, ux = 0.0, uy = 0.0;
    for (int q = 0; q < Q; q++) {
        double v = f[q * cells + i];
        rho += v;
        ux += v * cx[q];
        uy += v * cy[q];
    }
    ux /= rho;
    uy /= rho;
    for (int q = 0; q < Q; q++) {
        double cu = 3.0 * (cx[q] * ux + cy[q] * uy);
        double feq = w[q] * rho * (1.0 + cu + 0.5 * cu * cu - 1.5 * (ux * ux + uy * uy));
        f[q * cells + i] -= (f[q * cells + i] - feq) / tau;
    }
}

__global__ void stream(double *to, const double *from, double lid, int nx, int ny)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny)
        return;
    int cells = nx * ny, here = y * nx + x;
    for (int q = 0; q < Q; q++) {
        int sx = x - cx[q], sy = y - cy[q];
        if (sx >= 0 && sx < nx && sy >= 0 && sy < ny)
            to[q * cells + here] = from[q * cells + sy * nx + sx];
        else {
            double wall = sy >= ny ? 6.0 * w[q] * cx[q] * lid : 0.0;
            to[q * cells + here] = from[opposite[q] * cells + here] + wall;
        }
    }
}

__global__ void energy(double *e, const double *f, int cells)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells)
        return;
    double rho = 0.0, mx = 0.0, my = 0.0;
    for (int q = 0; q < Q; q++) {
        rho += f[q * cells + i];
        mx += f[q * cells + i] * cx[q];
        my += f[q * cells + i] * cy[q];
    }
    e[i] = 0.5 * (mx * mx + my * my) / rho;
}

double kinetic_energy(double lid, double viscosity, int nx, int ny, int steps)
{
    cudaMemcpyToSymbol(w, host_w, sizeof(host_w));
    cudaMemcpyToSymbol(cx, host_cx, sizeof(host_cx));
    cudaMemcpyToSymbol(cy, host_cy, sizeof(host_cy));
    cudaMemcpyToSymbol(opposite, host_opposite, sizeof(host_opposite));
    int cells = nx * ny, threads = 32, blocks = (cells + threads - 1) / threads;
    double tau = 3.0 * viscosity + 0.5;
    double *f, *g, *e;
    cudaMalloc(&f, Q * cells * sizeof(double));
    cudaMalloc(&g, Q * cells * sizeof(double));
    cudaMalloc(&e, cells * sizeof(double));
    initialise<<<blocks, threads>>>(f, cells);
    dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4);
    for (int t = 0; t < steps; ++t) {
        collide<<<blocks, threads>>>(f, tau, cells);
        stream<<<grid, block>>>(g, f, lid, nx, ny);
        double *h = f;
        f = g;
        g = h;
    }
    energy<<<blocks, threads>>>(e, f, cells);
    double *host = (double *)malloc(cells * sizeof(double)), total = 0.0;
    cudaMemcpy(host, e, cells * sizeof(double), cudaMemcpyDeviceToHost);
    for (int i = 0; i < cells; i++)
        total += host[i];
    free(host);
    cudaFree(f);
    cudaFree(g);
    cudaFree(e);
    return total;
}
