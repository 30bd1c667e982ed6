/*---
function = "separate"
wrt = ["c", "parameters"]
of = ["c"]
[inputs]
c = { shape = [7, 10], random_uniform = 1, low = -0.3, high = 0.3 }
parameters = { re = 0.0, im = 0.0 }
ny = 7
nx = 10
steps = 5
---*/
// Phase separation: chemical potential and its Laplacian in two kernels, parameters in a struct passed by value all the
// way down, a snapshot of the field every second step kept in a host buffer that grows the average.
#include <stdlib.h>

struct material {
    double re, im;
};

typedef struct {
    double mobility, epsilon;
} Model;

__device__ double laplacian(const double *f, int y, int x, int ny, int nx)
{
    int n = (y + 1) % ny, s = (y + ny - 1) % ny, e = (x + 1) % nx, w = (x + nx - 1) % nx;
    return f[n * nx + x] + f[s * nx + x] + f[y * nx + e] + f[y * nx + w] - 4.0 * f[y * nx + x];
}

__global__ void potential(double *mu, const double *c, Model m, int ny, int nx)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < nx && y < ny) {
        double v = c[y * nx + x];
        mu[y * nx + x] = v * v * v - v - m.epsilon * m.epsilon * laplacian(c, y, x, ny, nx);
    }
}

__global__ void flow(double *c, const double *mu, Model m, double dt, int ny, int nx)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < nx && y < ny)
        c[y * nx + x] += dt * m.mobility * laplacian(mu, y, x, ny, nx);
}

static void advance(double *c, double *mu, Model m, int ny, int nx)
{
    dim3 block(8, 2), grid((nx + 7) / 8, (ny + 1) / 2);
    potential<<<grid, block>>>(mu, c, m, ny, nx);
    flow<<<grid, block>>>(c, mu, m, 0.05, ny, nx);
}

void separate(double *c, struct material parameters, int ny, int nx, int steps)
{
    size_t bytes = (size_t)ny * nx * sizeof(double);
    Model m = {1.0 + parameters.re, 0.7 * (1.0 + parameters.im)};
    double *d_c, *d_mu, *snapshot = (double *)calloc(ny * nx, sizeof(double));
    double *average = (double *)calloc(ny * nx, sizeof(double));
    int kept = 0;
    cudaMalloc(&d_c, bytes);
    cudaMalloc(&d_mu, bytes);
    cudaMemcpy(d_c, c, bytes, cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; t++) {
        advance(d_c, d_mu, m, ny, nx);
        if (t % 2)
            continue;
        cudaMemcpy(snapshot, d_c, bytes, cudaMemcpyDeviceToHost);
        for (int i = 0; i < ny * nx; i++)
            average[i] += snapshot[i];
        kept++;
        m.mobility *= 0.9;
    }
    for (int i = 0; i < ny * nx; i++)
        c[i] = average[i] / kept;
    free(snapshot);
    free(average);
    cudaFree(d_c);
    cudaFree(d_mu);
}
