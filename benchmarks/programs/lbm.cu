// Many steps of the lattice Boltzmann method, D3Q19, BGK collision, periodic: pull from one lattice, collide, write to the
// other.  f[q * cells + cell] is the population of cell that moves along direction q.
#define Q 19

__global__ void lbm(float *f_out, const float *f_in, int nx, int ny, int nz, float omega)
{
    const int ex[Q] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
    const int ey[Q] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
    const int ez[Q] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};
    int cell = blockIdx.x * blockDim.x + threadIdx.x;
    int cells = nx * ny * nz;
    if (cell < cells) {
        int x = cell % nx;
        int y = cell / nx % ny;
        int z = cell / (nx * ny);
        float f[Q];
        float rho = 0.0f, jx = 0.0f, jy = 0.0f, jz = 0.0f;
#pragma unroll
        for (int q = 0; q < Q; q++) {
            int xs = (x - ex[q] + nx) % nx;
            int ys = (y - ey[q] + ny) % ny;
            int zs = (z - ez[q] + nz) % nz;
            f[q] = f_in[q * cells + (zs * ny + ys) * nx + xs];
            rho += f[q];
            jx += ex[q] * f[q];
            jy += ey[q] * f[q];
            jz += ez[q] * f[q];
        }
        float ux = jx / rho;
        float uy = jy / rho;
        float uz = jz / rho;
        float speed = 1.5f * (ux * ux + uy * uy + uz * uz);
#pragma unroll
        for (int q = 0; q < Q; q++) {
            float weight = q == 0 ? 1.0f / 3.0f : q < 7 ? 1.0f / 18.0f : 1.0f / 36.0f;
            float eu = ex[q] * ux + ey[q] * uy + ez[q] * uz;
            float equilibrium = weight * rho * (1.0f + 3.0f * eu + 4.5f * eu * eu - speed);
            f_out[q * cells + cell] = f[q] - omega * (f[q] - equilibrium);
        }
    }
}

// f and g are device pointers; after an even number of steps the result is in f.
void lbm_steps(float *f, float *g, int nx, int ny, int nz, float omega, int steps)
{
    int cells = nx * ny * nz;
    int threads = 128;
    int blocks = (cells + threads - 1) / threads;
    for (int step = 0; step < steps; step += 2) {
        lbm<<<blocks, threads>>>(g, f, nx, ny, nz, omega);
        lbm<<<blocks, threads>>>(f, g, nx, ny, nz, omega);
    }
}
