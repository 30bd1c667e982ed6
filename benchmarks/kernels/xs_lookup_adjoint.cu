// Adjoint of xs_lookup() by hand, with respect to the table.  The rows of the table are not known before the search, so
// atomics stay.
#define CHANNELS 5

static __device__ int bisect(const float *grid, int points, float e)
{
    int low = 0;
    int high = points - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (grid[middle] > e)
            high = middle;
        else
            low = middle;
    }
    return low;
}

// One thread per lookup, ten atomic additions each.
__global__ void xs_lookup_pullback_plain(const float *energy, const float *grid, int lookups, int points,
                                         const float *adj_out, float *adj_xs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < lookups) {
        float e = energy[i];
        int low = bisect(grid, points, e);
        float f = (e - grid[low]) / (grid[low + 1] - grid[low]);
        for (int c = 0; c < CHANNELS; c++) {
            float seed = adj_out[i * CHANNELS + c];
            atomicAdd(&adj_xs[low * CHANNELS + c], (1.0f - f) * seed);
            atomicAdd(&adj_xs[(low + 1) * CHANNELS + c], f * seed);
        }
    }
}

// A warp searches for its 32 lookups, then adds three lookups at a time: ten lanes on the ten neighbouring elements of
// each, so that an instruction touches three places of the table and not thirty-two.
__global__ void xs_lookup_pullback_warp(const float *energy, const float *grid, int lookups, int points,
                                        const float *adj_out, float *adj_xs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    int first = i - lane;
    int low = 0;
    float f = 0.0f;
    if (i < lookups) {
        float e = energy[i];
        low = bisect(grid, points, e);
        f = (e - grid[low]) / (grid[low + 1] - grid[low]);
    }
    int part = lane / (2 * CHANNELS);
    int element = lane % (2 * CHANNELS);
    for (int base = 0; base < 32; base += 3) {
        int source = base + part;
        int its_low = __shfl_sync(0xffffffff, low, source % 32);
        float its_f = __shfl_sync(0xffffffff, f, source % 32);
        if (part < 3 && source < 32 && first + source < lookups) {
            float seed = adj_out[(first + source) * CHANNELS + element % CHANNELS];
            atomicAdd(&adj_xs[its_low * CHANNELS + element], element < CHANNELS ? (1.0f - its_f) * seed : its_f * seed);
        }
    }
}
