/* Adjoint of heat2d() by hand: gather for the inner cells, in rows that vectorise; the rim separately. */
static float at(const float *adj_out, int i, int j, int nx, int ny)
{
    return i >= 1 && j >= 1 && i < nx - 1 && j < ny - 1 ? adj_out[(long)j * nx + i] : 0;
}

void heat2d_pullback(int nx, int ny, float c, const float *restrict adj_out, float *restrict adj_in)
{
    for (int j = 0; j < ny; j++) {
        const int rim = j < 2 || j >= ny - 2 || nx < 5;
        for (int i = 0; i < nx; i++) {
            if (!rim && i == 2) {
                const float *g = adj_out + (long)j * nx;
                float *a = adj_in + (long)j * nx;
                for (int x = 2; x < nx - 2; x++)
                    a[x] += g[x] + c * (g[x - 1] + g[x + 1] + g[x - nx] + g[x + nx] - 4.0f * g[x]);
                i = nx - 2;
            }
            const float own = at(adj_out, i, j, nx, ny);
            adj_in[(long)j * nx + i] += own + c * (at(adj_out, i - 1, j, nx, ny) + at(adj_out, i + 1, j, nx, ny) +
                                                   at(adj_out, i, j - 1, nx, ny) + at(adj_out, i, j + 1, nx, ny) - 4.0f * own);
        }
    }
}
