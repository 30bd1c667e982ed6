// Cross sections of a Monte Carlo transport code: find the energy in the grid by bisection, interpolate CHANNELS values.
#define CHANNELS 5

__global__ void xs_lookup(float *out, const float *energy, const float *grid, const float *xs, int lookups, int points)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < lookups) {
        float e = energy[i];
        int low = 0;
        int high = points - 1;
        while (high - low > 1) {
            int middle = (low + high) / 2;
            if (grid[middle] > e)
                high = middle;
            else
                low = middle;
        }
        float f = (e - grid[low]) / (grid[low + 1] - grid[low]);
        for (int c = 0; c < CHANNELS; c++)
            out[i * CHANNELS + c] = (1.0f - f) * xs[low * CHANNELS + c] + f * xs[(low + 1) * CHANNELS + c];
    }
}
