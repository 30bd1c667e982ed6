/* Adjoint of xs_lookup() by hand, with respect to the table. */
#define CHANNELS 5

void xs_lookup_pullback(const float *restrict energy, const float *restrict grid, int lookups, int points,
                        const float *restrict adj_out, float *restrict adj_xs)
{
    for (int i = 0; i < lookups; i++) {
        const float e = energy[i];
        int low = 0, high = points - 1;
        while (high - low > 1) {
            const int middle = (low + high) / 2;
            if (grid[middle] > e)
                high = middle;
            else
                low = middle;
        }
        const float f = (e - grid[low]) / (grid[low + 1] - grid[low]);
        const float *g = adj_out + (long)i * CHANNELS;
        float *a = adj_xs + (long)low * CHANNELS;
        for (int c = 0; c < CHANNELS; c++) {
            a[c] += (1.0f - f) * g[c];
            a[CHANNELS + c] += f * g[c];
        }
    }
}
