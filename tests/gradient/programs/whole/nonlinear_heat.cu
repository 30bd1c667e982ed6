/*---
function = "ping_pong"
wrt = ["u", "k0", "k1"]
of = ["u"]
[inputs]
u = { shape = [9, 11], random_uniform = 1, low = 0.2, high = 1.2 }
ny = 9
nx = 11
steps = 7
k0 = 0.11
k1 = 0.07

[[cases]]
name = "ping_pong"

[[cases]]
name = "by_parity"
function = "by_parity"

[[cases]]
name = "in_place"
function = "in_place"

[[cases]]
name = "thousand_steps"
inputs = { steps = 1000 }

[[cases]]
name = "memory_of_twenty_steps"
inputs = { steps = 1000 }
memory_limit = 15840

[[cases]]
name = "no_steps"
inputs = { steps = 0 }
---*/
// Heat conduction with a conductivity that grows with temperature, its time loop written in the three usual ways.
__device__ double conductivity(double u, double k0, double k1)
{
    return k0 + k1 * u * u;
}

__global__ void step(double *next, const double *u, int ny, int nx, double k0, double k1)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny)
        return;
    int i = y * nx + x;
    double here = u[i], k = conductivity(here, k0, k1), flux = 0.0;
    if (x > 0)
        flux += 0.5 * (k + conductivity(u[i - 1], k0, k1)) * (u[i - 1] - here);
    if (x < nx - 1)
        flux += 0.5 * (k + conductivity(u[i + 1], k0, k1)) * (u[i + 1] - here);
    if (y > 0)
        flux += 0.5 * (k + conductivity(u[i - nx], k0, k1)) * (u[i - nx] - here);
    if (y < ny - 1)
        flux += 0.5 * (k + conductivity(u[i + nx], k0, k1)) * (u[i + nx] - here);
    next[i] = here + flux;
}

__global__ void fluxes(double *f, const double *u, int ny, int nx, double k0, double k1)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < nx - 1 && y < ny) {
        int i = y * nx + x;
        f[i] = conductivity(0.5 * (u[i] + u[i + 1]), k0, k1) * (u[i + 1] - u[i]);
    }
}

__global__ void divergence(double *u, const double *f, int ny, int nx)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < nx && y < ny) {
        int i = y * nx + x;
        u[i] += (x < nx - 1 ? f[i] : 0.0) - (x > 0 ? f[i - 1] : 0.0);
    }
}

void ping_pong(double *u, int ny, int nx, int steps, double k0, double k1)
{
    size_t bytes = (size_t)ny * nx * sizeof(double);
    double *a, *b;
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMemcpy(a, u, bytes, cudaMemcpyDefault);
    dim3 block(4, 4), grid((nx + 3) / 4, (ny + 3) / 4);
    for (int t = 0; t < steps; t++) {
        step<<<grid, block>>>(b, a, ny, nx, k0, k1);
        double *tmp = a;
        a = b;
        b = tmp;
    }
    cudaMemcpy(u, a, bytes, cudaMemcpyDefault);
    cudaFree(a);
    cudaFree(b);
}

void by_parity(double *u, int ny, int nx, int steps, double k0, double k1)
{
    size_t bytes = (size_t)ny * nx * sizeof(double);
    double *d[2];
    for (int k = 0; k < 2; k++)
        cudaMalloc((void **)&d[k], bytes);
    cudaMemcpy(d[0], u, bytes, cudaMemcpyHostToDevice);
    dim3 block(4, 4), grid((nx + 3) / 4, (ny + 3) / 4);
    int t;
    for (t = 0; t < steps; t++)
        step<<<grid, block>>>(d[(t + 1) % 2], d[t % 2], ny, nx, k0, k1);
    cudaMemcpy(u, d[t & 1], bytes, cudaMemcpyDeviceToHost);
    cudaFree(d[0]);
    cudaFree(d[1]);
}

void in_place(double *u, int ny, int nx, int steps, double k0, double k1)
{
    size_t bytes = (size_t)ny * nx * sizeof(double);
    double *d_u, *d_f;
    cudaMalloc(&d_u, bytes);
    cudaMalloc(&d_f, bytes);
    cudaMemcpy(d_u, u, bytes, cudaMemcpyHostToDevice);
    dim3 block(4, 4), grid((nx + 3) / 4, (ny + 3) / 4);
    while (steps-- > 0) {
        fluxes<<<grid, block>>>(d_f, d_u, ny, nx, k0, k1);
        divergence<<<grid, block>>>(d_u, d_f, ny, nx);
    }
    cudaMemcpy(u, d_u, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_u);
    cudaFree(d_f);
}
