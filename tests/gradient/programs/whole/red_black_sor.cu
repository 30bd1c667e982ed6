/*---
function = "solve"
wrt = ["u", "f", "omega"]
of = ["u"]
[inputs]
u = { shape = [9, 12], random = 1 }
f = { shape = [9, 12], random = 2 }
ny = 9
nx = 12
omega = 1.4
tolerance = 0.5
---*/
// Successive over-relaxation, red then black, in place; every third iteration the residual is measured, with the block
// sums made by a shared reduction, and the loop is left when it is small.
#include <math.h>
#include <stdbool.h>

#define TX 8
#define TY 4

__global__ void relax(double *u, const double *f, int ny, int nx, double omega, int colour)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1 || (x + y) % 2 != colour)
        return;
    int i = y * nx + x;
    double gauss_seidel = 0.25 * (u[i - 1] + u[i + 1] + u[i - nx] + u[i + nx] - f[i]);
    u[i] = (1.0 - omega) * u[i] + omega * gauss_seidel;
}

__global__ void residual_kernel(double *sums, const double *u, const double *f, int ny, int nx)
{
    __shared__ double s[TX * TY];
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int t = threadIdx.y * TX + threadIdx.x, i = y * nx + x;
    double r = 0.0;
    if (x >= 1 && y >= 1 && x < nx - 1 && y < ny - 1)
        r = u[i - 1] + u[i + 1] + u[i - nx] + u[i + nx] - 4.0 * u[i] - f[i];
    s[t] = r * r;
    __syncthreads();
    for (int half = TX * TY / 2; half > 0; half /= 2) {
        if (t < half)
            s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0)
        sums[blockIdx.y * gridDim.x + blockIdx.x] = s[0];
}

bool solve(double *u, const double *f, int ny, int nx, double omega, double tolerance)
{
    const size_t bytes = sizeof(double) * ny * nx;
    dim3 block(TX, TY), grid((nx + TX - 1) / TX, (ny + TY - 1) / TY);
    int blocks = grid.x * grid.y;
    double *d_u, *d_f, *d_sums, *sums;
    cudaMallocHost((void **)&sums, blocks * sizeof(double));
    cudaMalloc((void **)&d_u, bytes);
    cudaMalloc((void **)&d_f, bytes);
    cudaMalloc((void **)&d_sums, blocks * sizeof(double));
    cudaMemcpy(d_u, u, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_f, f, bytes, cudaMemcpyHostToDevice);
    bool converged = false;
    for (int k = 1; !converged && k <= 30; k++) {
        relax<<<grid, block>>>(d_u, d_f, ny, nx, omega, 0);
        relax<<<grid, block>>>(d_u, d_f, ny, nx, omega, 1);
        if (k % 3)
            continue;
        residual_kernel<<<grid, block>>>(d_sums, d_u, d_f, ny, nx);
        cudaMemcpy(sums, d_sums, blocks * sizeof(double), cudaMemcpyDeviceToHost);
        double total = 0.0;
        for (int b = 0; b < blocks; b++)
            total += sums[b];
        converged = sqrt(total) < tolerance;
    }
    cudaMemcpy(u, d_u, bytes, cudaMemcpyDeviceToHost);
    cudaFreeHost(sums);
    cudaFree(d_u);
    cudaFree(d_f);
    cudaFree(d_sums);
    return converged;
}
