/*---
function = "run"
wrt = ["u", "v", "a", "b", "rates"]
of = ["u", "v"]
[inputs]
u = { shape = [323], random = 1 }
v = { shape = [525], random = 2 }
rates = { shape = [3], random = 3 }
a = 0.31
b = -0.7
nx = 19
ny = 17
nz = 5
mx = 7
my = 15

[[cases]]
name = "planes"

[[cases]]
name = "nothing"
inputs = { u = { shape = [1], random = 1 }, v = { shape = [1], random = 2 }, nx = 0, ny = 0, nz = 0, mx = 0, my = 0 }

[[cases]]
name = "lines"
inputs = { u = { shape = [41], random = 1 }, v = { shape = [33], random = 2 }, nx = 41, ny = 1, nz = 33, mx = 1, my = 1 }
---*/
// Numbers that all threads of a plane or a volume share: their adjoints are sums over launches of several axes, while the
// cells beside them are each thread's own, or those of the threads of one line.
#include <math.h>

__global__ void relax(double *next, const double *u, double a, double b, int nx, int ny)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i > 0 && i < nx - 1 && j < ny)
        next[j * nx + i] = u[j * nx + i] + a * sin(u[j * nx + i - 1] * u[j * nx + i + 1]) + b * b;
}

__global__ void decay(double *v, const double *rates, double a, int mx, int my, int nz)
{
    int x = threadIdx.x + blockDim.x * blockIdx.x;
    int y = threadIdx.y + blockDim.y * blockIdx.y;
    int z = threadIdx.z + blockDim.z * blockIdx.z;
    if (x < mx && y < my && z < nz) {
        double *cell = &v[(z * my + y) * mx + x];
        *cell = *cell * exp(-a * rates[z % 3]) + rates[0] * a;
    }
}

// Along y only the first thread has something to do.
__global__ void edge(double *u, double b, int nx, int ny)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < nx && j < ny) {
        if (j == 0)
            u[i] = u[i] * b + u[i] * u[i];
        else if (i == 0)
            u[j * nx] = b * b * u[j * nx];
    }
}

void run(double *u, double *v, const double *rates, double a, double b, int nx, int ny, int nz, int mx, int my)
{
    double *d_u, *d_next, *d_v, *d_rates;
    size_t plane = (size_t)nx * ny * sizeof(double), volume = (size_t)mx * my * nz * sizeof(double);
    if (plane == 0 || volume == 0)
        return;
    cudaMalloc((void **)&d_u, plane);
    cudaMalloc((void **)&d_next, plane);
    cudaMalloc((void **)&d_v, volume);
    cudaMalloc((void **)&d_rates, 3 * sizeof(double));
    cudaMemcpy(d_u, u, plane, cudaMemcpyHostToDevice);
    cudaMemcpy(d_next, u, plane, cudaMemcpyHostToDevice);
    cudaMemcpy(d_v, v, volume, cudaMemcpyHostToDevice);
    cudaMemcpy(d_rates, rates, 3 * sizeof(double), cudaMemcpyHostToDevice);
    dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4);
    for (int step = 0; step < 3; step++) {
        relax<<<grid, block>>>(d_next, d_u, a, b, nx, ny);
        relax<<<grid, block>>>(d_u, d_next, b, a, nx, ny);
        edge<<<grid, block>>>(d_u, b, nx, ny);
    }
    decay<<<dim3((mx + 2) / 3, (my + 1) / 2, (nz + 1) / 2), dim3(3, 2, 2)>>>(d_v, d_rates, a, mx, my, nz);
    cudaMemcpy(u, d_u, plane, cudaMemcpyDeviceToHost);
    cudaMemcpy(v, d_v, volume, cudaMemcpyDeviceToHost);
    cudaFree(d_u);
    cudaFree(d_next);
    cudaFree(d_v);
    cudaFree(d_rates);
}
