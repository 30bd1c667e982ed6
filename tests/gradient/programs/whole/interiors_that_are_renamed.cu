/*---
wrt = ["u", "v", "c"]
of = ["u", "v"]
[inputs]
u = { shape = [2560], random = 1 }
v = { shape = [2560], random = 2 }
c = 0.07
[[cases]]
name = "plane"
function = "plane"
inputs = { nx = 40, ny = 64, steps = 5 }
[[cases]]
name = "plane_in_larger_memory"
function = "plane"
inputs = { nx = 40, ny = 61, steps = 4 }
[[cases]]
name = "few_threads"
function = "plane"
inputs = { nx = 128, ny = 20, steps = 3 }
[[cases]]
name = "no_interior"
function = "plane"
inputs = { nx = 2, ny = 30, steps = 3 }
[[cases]]
name = "no_steps"
function = "plane"
inputs = { nx = 40, ny = 64, steps = 0 }
[[cases]]
name = "checkpoints"
function = "plane"
memory_limit = "200kB"
inputs = { nx = 40, ny = 64, steps = 20 }
[[cases]]
name = "rows_of_a_pitch"
function = "rows"
inputs = { nx = 40, ny = 64, steps = 4 }
[[cases]]
name = "boundary_in_between"
function = "driven"
inputs = { nx = 40, ny = 64, steps = 5 }
[[cases]]
name = "space"
function = "space"
inputs = { nx = 8, ny = 16, steps = 4 }
[[cases]]
name = "space_of_thin_planes"
function = "space"
inputs = { nx = 6, ny = 8, steps = 3 }
[[cases]]
name = "box"
function = "box"
inputs = { nx = 16, ny = 16, steps = 3, u = { shape = [5120], random = 1 }, v = { shape = [5120], random = 2 } }
[[cases]]
name = "box_in_a_loop"
function = "marched"
inputs = { nx = 16, ny = 16, steps = 3, u = { shape = [5120], random = 1 }, v = { shape = [5120], random = 2 } }
---*/
// Steps that overwrite the interior of a buffer: the frame stays, and may change in between.
__global__ void plane_step(double *to, const double *from, double c, int nx, int ny)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= 1 && j >= 1 && i < nx - 1 && j < ny - 1) {
        int k = j * nx + i;
        double here = from[k];
        to[k] = sin(here) + c * cos(here) * (from[k - 1] + from[k + 1] + from[k - nx] + from[k + nx] - 4.0 * here);
    }
}

__global__ void row_step(double *to, const double *from, double c, int width, int height, int pitch)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < width && j < height)
        to[j * pitch + i] = sin(from[j * pitch + i]) + c * from[j * pitch + i + 1];
}

__global__ void space_step(double *to, const double *from, double c, int nx, int ny, int nz)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < nx && j >= 1 && j < ny - 1)
        for (int z = 1; z < nz - 1; z++) {
            int k = (z * ny + j) * nx + i;
            to[k] = sin(from[k] * (1.0 - c * from[k - nx * ny]) + c * from[k + nx] * from[k - nx]);
        }
}

__global__ void box_step(double *to, const double *from, double c, int nx, int ny, int nz)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z, k = (z * ny + j) * nx + i;
    if (i >= 1 && i < nx - 1 && j >= 1 && j < ny - 1 && z >= 1 && z < nz - 1)
        to[k] = sin(from[k] + c * from[k - 1] * from[k + nx * ny]) + 0.1 * from[k - nx];
}

__global__ void marching_step(double *to, const double *from, double c, int nx, int ny, int nz)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= 1 && i < nx - 1 && j >= 1 && j < ny - 1)
        for (int z = 1; z < nz - 1; z++) {
            int k = (z * ny + j) * nx + i;
            to[k] = sin(from[k] + c * from[k - 1] * from[k + nx * ny]) + 0.1 * from[k - nx];
        }
}

__global__ void boundary(double *u, double c, int nx, int ny)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < ny) {
        u[i * nx] = sin(u[i * nx]) * (1.0 + c * u[i * nx + 1]);
        u[i * nx + nx - 1] = 0.9 * sin(u[i * nx + nx - 1] * u[i * nx + nx - 2]);
    }
}

void plane(double *u, double *v, double c, int nx, int ny, int steps)
{
    dim3 block(16, 4), grid(5, (ny + 3) / 4);
    double *now = u, *next = v;
    for (int t = 0; t < steps; t++) {
        plane_step<<<grid, block>>>(next, now, c, nx, ny);
        double *other = now;
        now = next;
        next = other;
    }
}

void rows(double *u, double *v, double c, int nx, int ny, int steps)
{
    dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
    for (int t = 0; t < steps; t++) {
        row_step<<<grid, block>>>(v, u, c, nx - 2, ny, nx);
        row_step<<<grid, block>>>(u, v, c, nx - 2, ny, nx);
    }
}

void driven(double *u, double *v, double c, int nx, int ny, int steps)
{
    dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
    for (int t = 0; t < steps; t++) {
        plane_step<<<grid, block>>>(v, u, c, nx, ny);
        boundary<<<(ny + 31) / 32, 32>>>(v, c, nx, ny);
        plane_step<<<grid, block>>>(u, v, c, nx, ny);
        boundary<<<(ny + 31) / 32, 32>>>(u, c, nx, ny);
    }
}

void space(double *u, double *v, double c, int nx, int ny, int steps)
{
    int nz = 2560 / (nx * ny);
    dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
    for (int t = 0; t < steps; t++) {
        space_step<<<grid, block>>>(v, u, c, nx, ny, nz);
        space_step<<<grid, block>>>(u, v, c, nx, ny, nz);
    }
}

void box(double *u, double *v, double c, int nx, int ny, int steps)
{
    int nz = 5120 / (nx * ny);
    dim3 block(16, 4, 2), grid(1, 4, (nz + 1) / 2);
    double *now = u, *next = v;
    for (int t = 0; t < steps; t++) {
        box_step<<<grid, block>>>(next, now, c, nx, ny, nz);
        double *other = now;
        now = next;
        next = other;
    }
}

void marched(double *u, double *v, double c, int nx, int ny, int steps)
{
    int nz = 5120 / (nx * ny);
    dim3 block(16, 4), grid(1, 4);
    for (int t = 0; t < steps; t++) {
        marching_step<<<grid, block>>>(v, u, c, nx, ny, nz);
        marching_step<<<grid, block>>>(u, v, c, nx, ny, nz);
    }
}
