/*---
function = "fdtd"
wrt = ["ex", "ey", "hz", "source"]
of = ["ex", "ey", "hz"]
[inputs]
ex = { shape = [7, 9], random = 1 }
ey = { shape = [7, 9], random = 2 }
hz = { shape = [7, 9], random = 3 }
source = { shape = [4], random = 4 }
steps = 4
nx = 7
ny = 9
---*/
// Maxwell's equations on a staggered grid: three kernels in a time loop, with a source in the first row.
__global__ void step_ey(double *ey, const double *hz, const double *source, int t, int nx, int ny)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < nx && j < ny) {
        if (i == 0)
            ey[j] = source[t];
        else
            ey[i * ny + j] = ey[i * ny + j] - 0.5 * (hz[i * ny + j] - hz[(i - 1) * ny + j]);
    }
}

__global__ void step_ex(double *ex, const double *hz, int nx, int ny)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < nx && j < ny && j > 0)
        ex[i * ny + j] -= 0.5 * (hz[i * ny + j] - hz[i * ny + j - 1]);
}

__global__ void step_hz(double *hz, const double *ex, const double *ey, int nx, int ny)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < nx - 1 && j < ny - 1)
        hz[i * ny + j] -= 0.7 * (ex[i * ny + j + 1] - ex[i * ny + j] + ey[(i + 1) * ny + j] - ey[i * ny + j]);
}

void fdtd(double *ex, double *ey, double *hz, const double *source, int steps, int nx, int ny)
{
    dim3 block(4, 2), grid((ny + 3) / 4, (nx + 1) / 2);
    for (int t = 0; t < steps; t++) {
        step_ey<<<grid, block>>>(ey, hz, source, t, nx, ny);
        step_ex<<<grid, block>>>(ex, hz, nx, ny);
        step_hz<<<grid, block>>>(hz, ex, ey, nx, ny);
    }
}
