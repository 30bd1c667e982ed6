/*---
function = "diffuse"
wrt = ["u", "kappa"]
of = ["u"]
[inputs]
u = { shape = [6, 10], random = 1 }
ny = 6
nx = 10
steps = 2
kappa = 0.03

[[cases]]
name = "plane"

[[cases]]
name = "odd_plane"
inputs = { ny = 5, nx = 9 }
---*/
// A spectral method with cuFFT: reaction, and diffusion by multiplication in the space of real transforms in two
// dimensions.
#include <cufft.h>
#include <math.h>

__global__ void decay(cufftDoubleComplex *spectrum, int ny, int nx, double kappa)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, half = nx / 2 + 1;
    if (x < half && y < ny) {
        int ky = y <= ny / 2 ? y : y - ny;
        double factor = exp(-kappa * (x * x + ky * ky)) / (nx * ny);
        spectrum[y * half + x].x *= factor;
        spectrum[y * half + x].y *= factor;
    }
}

__global__ void react(double *u, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        u[i] += 0.1 * u[i] * (1.0 - u[i] * u[i]);
}

void diffuse(double *u, int ny, int nx, int steps, double kappa)
{
    cufftHandle forward, back;
    double *d_u;
    cufftDoubleComplex *spectrum;
    cufftPlan2d(&forward, ny, nx, CUFFT_D2Z);
    cufftPlan2d(&back, ny, nx, CUFFT_Z2D);
    cudaMalloc((void **)&d_u, ny * nx * sizeof(double));
    cudaMalloc((void **)&spectrum, ny * (nx / 2 + 1) * sizeof(cufftDoubleComplex));
    cudaMemcpy(d_u, u, ny * nx * sizeof(double), cudaMemcpyHostToDevice);
    dim3 block(4, 4), grid((nx / 2 + 4) / 4, (ny + 3) / 4);
    for (int t = 0; t < steps; t++) {
        react<<<(ny * nx + 31) / 32, 32>>>(d_u, ny * nx);
        cufftExecD2Z(forward, d_u, spectrum);
        decay<<<grid, block>>>(spectrum, ny, nx, kappa);
        cufftExecZ2D(back, spectrum, d_u);
    }
    cudaMemcpy(u, d_u, ny * nx * sizeof(double), cudaMemcpyDeviceToHost);
    cufftDestroy(forward);
    cufftDestroy(back);
    cudaFree(d_u);
    cudaFree(spectrum);
}
