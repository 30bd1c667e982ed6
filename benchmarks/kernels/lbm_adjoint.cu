// Adjoint of lbm() by hand: collide backwards in registers, then stream backwards.  Each population is read by exactly
// one cell, so that the writes need no atomics.  Of the primal only density and velocity are recomputed.
#define Q 19

__global__ void lbm_pullback(const float *f_in, int nx, int ny, int nz, float omega, const float *adj_out, float *adj_in)
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
        int xm = x > 0 ? x - 1 : nx - 1, xp = x < nx - 1 ? x + 1 : 0;
        int ym = y > 0 ? y - 1 : ny - 1, yp = y < ny - 1 ? y + 1 : 0;
        int zm = z > 0 ? z - 1 : nz - 1, zp = z < nz - 1 ? z + 1 : 0;
        float rho = 0.0f, ux = 0.0f, uy = 0.0f, uz = 0.0f;
#pragma unroll
        for (int q = 0; q < Q; q++) {
            int xs = ex[q] > 0 ? xm : ex[q] < 0 ? xp : x;
            int ys = ey[q] > 0 ? ym : ey[q] < 0 ? yp : y;
            int zs = ez[q] > 0 ? zm : ez[q] < 0 ? zp : z;
            float f = f_in[q * cells + (zs * ny + ys) * nx + xs];
            rho += f;
            ux += ex[q] * f;
            uy += ey[q] * f;
            uz += ez[q] * f;
        }
        ux /= rho;
        uy /= rho;
        uz /= rho;
        float speed = 1.5f * (ux * ux + uy * uy + uz * uz);
        float g[Q];
        float adj_rho = 0.0f, adj_jx = 0.0f, adj_jy = 0.0f, adj_jz = 0.0f, total = 0.0f;
#pragma unroll
        for (int q = 0; q < Q; q++) {
            float weight = q == 0 ? 1.0f / 3.0f : q < 7 ? 1.0f / 18.0f : 1.0f / 36.0f;
            g[q] = adj_out[q * cells + cell];
            float scaled = omega * weight * g[q];
            float eu = ex[q] * ux + ey[q] * uy + ez[q] * uz;
            float along = scaled * (3.0f + 9.0f * eu);
            adj_rho += scaled * (1.0f - 4.5f * eu * eu + speed);
            adj_jx += along * ex[q];
            adj_jy += along * ey[q];
            adj_jz += along * ez[q];
            total += scaled;
        }
        adj_jx -= 3.0f * total * ux;
        adj_jy -= 3.0f * total * uy;
        adj_jz -= 3.0f * total * uz;
#pragma unroll
        for (int q = 0; q < Q; q++) {
            int xs = ex[q] > 0 ? xm : ex[q] < 0 ? xp : x;
            int ys = ey[q] > 0 ? ym : ey[q] < 0 ? yp : y;
            int zs = ez[q] > 0 ? zm : ez[q] < 0 ? zp : z;
            adj_in[q * cells + (zs * ny + ys) * nx + xs] +=
                (1.0f - omega) * g[q] + adj_rho + ex[q] * adj_jx + ey[q] * adj_jy + ez[q] * adj_jz;
        }
    }
}
