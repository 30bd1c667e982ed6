// A step of the lattice Boltzmann method: flow in two dimensions by nine populations in each cell (D2Q9).
//
// Populations stream from the neighbours and relax towards a local equilibrium; cells that are solid send them back where
// they came from.  The channel is periodic in x, and a constant force drives the flow.  With hetad one reverse sweep gives
// the sensitivity of the final populations to the initial ones, to the relaxation rate (that is, the viscosity) and to
// the force: the gradients that data assimilation and shape optimisation ask for.

#define Q 9

__constant__ int cx[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int cy[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ int opposite[Q] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
__constant__ double weight[Q] = {4. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 36, 1. / 36, 1. / 36, 1. / 36};

__device__ double equilibrium(int q, double density, double ux, double uy)
{
    double cu = 3.0 * (cx[q] * ux + cy[q] * uy);
    return weight[q] * density * (1.0 + cu + 0.5 * cu * cu - 1.5 * (ux * ux + uy * uy));
}

__global__ void step_kernel(double *next, const double *f, const unsigned char *solid, double omega, double force, int nx,
                            int ny)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny)
        return;
    int cells = nx * ny, cell = y * nx + x;

    // Stream: population q comes from the cell against its direction.
    double in[Q];
    for (int q = 0; q < Q; q++) {
        int from_x = (x - cx[q] + nx) % nx, from_y = (y - cy[q] + ny) % ny;
        in[q] = f[q * cells + from_y * nx + from_x];
    }
    if (solid[cell]) {
        for (int q = 0; q < Q; q++)
            next[q * cells + cell] = in[opposite[q]];
        return;
    }

    // Collide.
    double density = 0.0, ux = 0.0, uy = 0.0;
    for (int q = 0; q < Q; q++) {
        density += in[q];
        ux += cx[q] * in[q];
        uy += cy[q] * in[q];
    }
    ux = ux / density + force / omega;
    uy = uy / density;
    for (int q = 0; q < Q; q++)
        next[q * cells + cell] = in[q] + omega * (equilibrium(q, density, ux, uy) - in[q]);
}

// f and work: device arrays of 9 planes of ny rows of nx values; after an even number of steps the result lies in f.
void flow(double *f, double *work, const unsigned char *solid, double omega, double force, int nx, int ny, int steps)
{
    dim3 block(8, 4);
    dim3 grid((nx + 7) / 8, (ny + 3) / 4);
    for (int step = 0; step < steps; step += 2) {
        step_kernel<<<grid, block>>>(work, f, solid, omega, force, nx, ny);
        step_kernel<<<grid, block>>>(f, work, solid, omega, force, nx, ny);
    }
}
