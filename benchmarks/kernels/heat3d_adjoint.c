/* Adjoint of heat3d() by hand: scatter by rows of outputs; for a fixed distance and direction the row vectorises. */
#define RADIUS 4

void heat3d_pullback(const float *restrict c, int nx, int ny, int nz, const float *restrict adj_out, float *restrict adj_in)
{
    const long sy = nx, sz = (long)nx * ny;
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++) {
            float *a = adj_in + z * sz + y * sy;
            const float *g = adj_out + z * sz + y * sy;
            const int inner_y = y >= RADIUS && y < ny - RADIUS, inner_z = z >= RADIUS && z < nz - RADIUS;
            if (inner_y && inner_z) {
                for (int x = RADIUS; x < nx - RADIUS; x++)
                    a[x] += c[0] * g[x];
                for (int r = 1; r <= RADIUS; r++) {
                    for (int x = RADIUS - r; x < nx - RADIUS - r; x++)
                        a[x] += c[r] * g[x + r];
                    for (int x = RADIUS + r; x < nx - RADIUS + r; x++)
                        a[x] += c[r] * g[x - r];
                }
            }
            for (int r = 1; r <= RADIUS; r++) {
                if (inner_z && y - r >= RADIUS && y - r < ny - RADIUS)
                    for (int x = RADIUS; x < nx - RADIUS; x++)
                        a[x] += c[r] * g[x - r * sy];
                if (inner_z && y + r >= RADIUS && y + r < ny - RADIUS)
                    for (int x = RADIUS; x < nx - RADIUS; x++)
                        a[x] += c[r] * g[x + r * sy];
                if (inner_y && z - r >= RADIUS && z - r < nz - RADIUS)
                    for (int x = RADIUS; x < nx - RADIUS; x++)
                        a[x] += c[r] * g[x - r * sz];
                if (inner_y && z + r >= RADIUS && z + r < nz - RADIUS)
                    for (int x = RADIUS; x < nx - RADIUS; x++)
                        a[x] += c[r] * g[x + r * sz];
            }
        }
}
