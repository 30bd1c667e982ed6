/*---
wrt = ["f", "omega"]
of = ["f"]
[inputs]
f = { shape = [5, 6, 7], random_uniform = 1, low = 0.5, high = 1.5 }
g = { shape = [5, 6, 7], random_uniform = 2, low = 0.5, high = 1.5 }
nx = 7
ny = 6
omega = 0.7
steps = 4

[[cases]]
function = "ping_pong"
[[cases]]
function = "ping_pong"
name = "no_steps"
inputs = { steps = 0 }
[[cases]]
function = "ping_pong"
name = "hundred_steps"
wrt = ["f"]
inputs = { steps = 100 }
[[cases]]
function = "ping_pong"
name = "hundred_steps_in_the_memory_of_twenty"
wrt = ["f"]
inputs = { steps = 100 }
memory_limit = 33600
[[cases]]
function = "ping_pong"
name = "larger_buffers"
inputs = { ny = 4 }
[[cases]]
function = "ping_pong"
name = "narrow"
inputs = { nx = 1, ny = 42 }
[[cases]]
function = "read_twice"
[[cases]]
function = "observed"
[[cases]]
function = "few_threads"
[[cases]]
function = "own_buffers"
[[cases]]
function = "copied"
---*/
// A lattice gas with five populations, periodic: where the adjoint of a buffer is zero before a pullback, and where not.
#define Q 5

__global__ void step(double *to, const double *from, int nx, int ny, double omega)
{
    const int ex[Q] = {0, 1, -1, 0, 0};
    const int ey[Q] = {0, 0, 0, 1, -1};
    int cell = blockIdx.x * blockDim.x + threadIdx.x;
    int cells = nx * ny;
    if (cell < cells) {
        int x = cell % nx, y = cell / nx;
        double f[Q], rho = 0;
        for (int q = 0; q < Q; q++) {
            int xs = (x - ex[q] + nx) % nx;
            int ys = (y - ey[q] + ny) % ny;
            f[q] = from[q * cells + ys * nx + xs];
            rho += f[q];
        }
        for (int q = 0; q < Q; q++)
            to[q * cells + cell] = f[q] - omega * (f[q] - 0.2 * rho * (1 + 0.1 * rho * ex[q]));
    }
}

// Each thread reads two cells of one array: what it adds may meet what another thread adds.
__global__ void averaged(double *to, const double *from, int cells)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < cells)
        to[i] = 0.5 * (sin(from[i]) + from[(i + 1) % cells]);
}

__global__ void probe(double *sum, const double *from, int cells)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < cells)
        sum[i] += from[i] * from[i];
}

void ping_pong(double *f, double *g, int nx, int ny, double omega, int steps)
{
    int blocks = (nx * ny + 15) / 16;
    for (int s = 0; s < steps; s += 2) {
        step<<<blocks, 16>>>(g, f, nx, ny, omega);
        step<<<blocks, 16>>>(f, g, nx, ny, omega);
    }
}

void read_twice(double *f, double *g, int nx, int ny, double omega, int steps)
{
    int cells = Q * nx * ny;
    for (int s = 0; s < steps; s++) {
        averaged<<<(cells + 31) / 32, 32>>>(g, f, cells);
        step<<<(nx * ny + 15) / 16, 16>>>(f, g, nx, ny, omega);
    }
}

// The buffer is read by two launches in each step.
void observed(double *f, double *g, int nx, int ny, double omega, int steps)
{
    int blocks = (nx * ny + 15) / 16;
    for (int s = 0; s < steps; s++) {
        step<<<blocks, 16>>>(g, f, nx, ny, omega);
        probe<<<blocks, 16>>>(f, g, nx * ny);
        step<<<blocks, 16>>>(f, g, nx, ny, omega * 0.5);
        probe<<<blocks, 16>>>(f, g, nx * ny);
    }
}

// Not all cells are overwritten.
void few_threads(double *f, double *g, int nx, int ny, double omega, int steps)
{
    for (int s = 0; s < steps; s += 2) {
        step<<<2, 16>>>(g, f, nx, ny, omega);
        step<<<2, 16>>>(f, g, nx, ny, omega);
    }
}

void own_buffers(double *f, double *g, int nx, int ny, double omega, int steps)
{
    int blocks = (nx * ny + 15) / 16;
    size_t bytes = (size_t)Q * nx * ny * sizeof(double);
    double *a, *b;
    cudaMalloc((void **)&a, bytes);
    cudaMalloc((void **)&b, bytes);
    cudaMemcpy(a, f, bytes, cudaMemcpyDeviceToDevice);
    for (int s = 0; s < steps; s++) {
        step<<<blocks, 16>>>(b, a, nx, ny, omega);
        double *t = a;
        a = b;
        b = t;
    }
    cudaMemcpy(f, a, bytes, cudaMemcpyDeviceToDevice);
    cudaFree(a);
    cudaFree(b);
}

// Copies read the buffers too.
void copied(double *f, double *g, int nx, int ny, double omega, int steps)
{
    int blocks = (nx * ny + 15) / 16, cells = nx * ny;
    for (int s = 0; s < steps; s++) {
        step<<<blocks, 16>>>(g, f, nx, ny, omega);
        cudaMemcpy(f, g + cells, cells * sizeof(double), cudaMemcpyDeviceToDevice);
        step<<<blocks, 16>>>(f, g, nx, ny, omega);
        cudaMemcpy(f + 2 * cells, g + cells, cells * sizeof(double), cudaMemcpyDeviceToDevice);
    }
}
