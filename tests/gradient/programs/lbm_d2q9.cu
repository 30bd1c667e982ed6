/*---
function = "flow"
wrt = ["f", "omega"]
of = ["f"]
[inputs]
f = { shape = [9, 5, 7], random_uniform = 1, low = 0.08, high = 0.16 }
solid = { shape = [5, 7], random = 2, low = 0, high = 2 }
omega = 1.2
nx = 7
ny = 5
steps = 2
---*/
// Lattice Boltzmann, D2Q9: collision in local arrays, streaming to neighbours, bounce-back where the cell is solid.
__constant__ int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ int opposite[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
__constant__ double weight[9] = {4.0 / 9,  1.0 / 9,  1.0 / 9,  1.0 / 9, 1.0 / 9,
                                 1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36};

__global__ void step(double *next, const double *f, const int *solid, double omega, int nx, int ny)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny)
        return;
    int cells = nx * ny, cell = y * nx + x;
    double in[9], rho = 0.0, ux = 0.0, uy = 0.0;
    for (int k = 0; k < 9; k++) {
        int from = (y - cy[k] + ny) % ny * nx + (x - cx[k] + nx) % nx;
        in[k] = f[k * cells + from];
        rho += in[k];
        ux += in[k] * cx[k];
        uy += in[k] * cy[k];
    }
    if (solid[cell]) {
        for (int k = 0; k < 9; k++)
            next[k * cells + cell] = in[opposite[k]];
        return;
    }
    ux /= rho;
    uy /= rho;
    double square = 1.5 * (ux * ux + uy * uy);
    for (int k = 0; k < 9; k++) {
        double along = 3.0 * (cx[k] * ux + cy[k] * uy);
        double equilibrium = weight[k] * rho * (1.0 + along + 0.5 * along * along - square);
        next[k * cells + cell] = in[k] + omega * (equilibrium - in[k]);
    }
}

void flow(double *f, const int *solid, double omega, int nx, int ny, int steps)
{
    double *a = f, *b;
    size_t bytes = 9 * nx * ny * sizeof(double);
    cudaMalloc(&b, bytes);
    double *scratch = b;
    dim3 block(4, 2), grid((nx + 3) / 4, (ny + 1) / 2);
    for (int t = 0; t < steps; t++) {
        step<<<grid, block>>>(b, a, solid, omega, nx, ny);
        double *other = a;
        a = b;
        b = other;
    }
    if (a != f)
        cudaMemcpy(f, a, bytes, cudaMemcpyDeviceToDevice);
    cudaFree(scratch);
}
