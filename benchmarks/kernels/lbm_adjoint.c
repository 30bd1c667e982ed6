/* Adjoint of lbm() by hand: collide backwards in local variables, then stream backwards. */
#define Q 19

void lbm_pullback(const float *restrict f_in, int nx, int ny, int nz, float omega, const float *restrict adj_out,
                  float *restrict adj_in)
{
    static const int ex[Q] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
    static const int ey[Q] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
    static const int ez[Q] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};
    const long cells = (long)nx * ny * nz;
    long cell = 0;
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++, cell++) {
                const int xn[3] = {x < nx - 1 ? x + 1 : 0, x, x > 0 ? x - 1 : nx - 1};
                const int yn[3] = {y < ny - 1 ? y + 1 : 0, y, y > 0 ? y - 1 : ny - 1};
                const int zn[3] = {z < nz - 1 ? z + 1 : 0, z, z > 0 ? z - 1 : nz - 1};
                long from[Q];
                float g[Q], rho = 0, ux = 0, uy = 0, uz = 0;
                for (int q = 0; q < Q; q++) {
                    from[q] = q * cells + ((long)zn[ez[q] + 1] * ny + yn[ey[q] + 1]) * nx + xn[ex[q] + 1];
                    const float f = f_in[from[q]];
                    rho += f;
                    ux += ex[q] * f;
                    uy += ey[q] * f;
                    uz += ez[q] * f;
                }
                ux /= rho;
                uy /= rho;
                uz /= rho;
                const float speed = 1.5f * (ux * ux + uy * uy + uz * uz);
                float adj_rho = 0, adj_jx = 0, adj_jy = 0, adj_jz = 0, total = 0;
                for (int q = 0; q < Q; q++) {
                    const float weight = q == 0 ? 1.0f / 3.0f : q < 7 ? 1.0f / 18.0f : 1.0f / 36.0f;
                    g[q] = adj_out[q * cells + cell];
                    const float scaled = omega * weight * g[q];
                    const float eu = ex[q] * ux + ey[q] * uy + ez[q] * uz;
                    const float along = scaled * (3.0f + 9.0f * eu);
                    adj_rho += scaled * (1.0f - 4.5f * eu * eu + speed);
                    adj_jx += along * ex[q];
                    adj_jy += along * ey[q];
                    adj_jz += along * ez[q];
                    total += scaled;
                }
                adj_jx -= 3.0f * total * ux;
                adj_jy -= 3.0f * total * uy;
                adj_jz -= 3.0f * total * uz;
                for (int q = 0; q < Q; q++)
                    adj_in[from[q]] += (1.0f - omega) * g[q] + adj_rho + ex[q] * adj_jx + ey[q] * adj_jy + ez[q] * adj_jz;
            }
}
