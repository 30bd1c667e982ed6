// A reaction and diffusion equation in two dimensions, each block on a tile with a halo of one cell.
//
// u' = k laplace(u) + u (1 - u) (u - a), with the tile of u in shared memory: the threads at the rim load the halo as
// well.  In reverse every thread scatters into the shadow of the tile, halo included, and the shadow's cells go back to
// the global gradient, where neighbouring blocks meet.  The time loop on the host exchanges two buffers; the reaction is
// cubic, so hetad saves each step's field for the reverse sweep.

#define BX 8
#define BY 4

__global__ void step_kernel(double *next, const double *u, double k, double a, double dt, int nx, int ny)
{
    __shared__ double tile[BY + 2][BX + 2];
    int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y;
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    if (x < nx && y < ny) {
        tile[ty][tx] = u[y * nx + x];
        // A mirror at the rim of the domain: no flux leaves it.
        if (threadIdx.x == 0)
            tile[ty][0] = u[y * nx + (x > 0 ? x - 1 : x)];
        if (threadIdx.x == BX - 1 || x == nx - 1)
            tile[ty][tx + 1] = u[y * nx + (x < nx - 1 ? x + 1 : x)];
        if (threadIdx.y == 0)
            tile[0][tx] = u[(y > 0 ? y - 1 : y) * nx + x];
        if (threadIdx.y == BY - 1 || y == ny - 1)
            tile[ty + 1][tx] = u[(y < ny - 1 ? y + 1 : y) * nx + x];
    }
    __syncthreads();
    if (x < nx && y < ny) {
        double v = tile[ty][tx];
        double laplace = tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx] - 4.0 * v;
        next[y * nx + x] = v + dt * (k * laplace + v * (1.0 - v) * (v - a));
    }
}

// u: device array of ny rows of nx values, overwritten by the field after `steps` steps.
void evolve(double *u, double k, double a, double dt, int nx, int ny, int steps)
{
    size_t bytes = sizeof(double) * nx * ny;
    double *now, *next;
    cudaMalloc((void **)&now, bytes);
    cudaMalloc((void **)&next, bytes);
    cudaMemcpy(now, u, bytes, cudaMemcpyDeviceToDevice);
    dim3 block(BX, BY);
    dim3 grid((nx + BX - 1) / BX, (ny + BY - 1) / BY);
    for (int step = 0; step < steps; step++) {
        step_kernel<<<grid, block>>>(next, now, k, a, dt, nx, ny);
        double *other = now;
        now = next;
        next = other;
    }
    cudaMemcpy(u, now, bytes, cudaMemcpyDeviceToDevice);
    cudaFree(now);
    cudaFree(next);
}
