/*---
function = "lookup"
wrt = ["grid", "energy"]
of = ["total"]
[inputs]
total = { zeros = [20] }
energy = { shape = [20], random_uniform = 1, low = 0.05, high = 0.95 }
grid = { values = [{ energy = 0.0, xs = [1.0, 0.5] }, { energy = 0.2, xs = [0.8, 0.7] }, { energy = 0.45, xs = [1.5, 0.2] }, { energy = 0.7, xs = [0.9, 0.4] }, { energy = 1.0, xs = [0.3, 0.6] }] }
lookups = 20
points = 5
---*/
// A macroscopic cross section: binary search in a grid of structs, linear interpolation of each channel.
typedef struct {
    double energy;
    double xs[2];
} GridPoint;

__device__ int search(const GridPoint *grid, double energy, int points)
{
    int low = 0, high = points - 1;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (grid[middle].energy > energy)
            high = middle;
        else
            low = middle;
    }
    return low;
}

__global__ void lookup_kernel(double *total, const double *energy, const GridPoint *grid, int lookups, int points)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= lookups)
        return;
    double e = energy[i], macro[2] = {0.0, 0.0};
    const GridPoint *low = &grid[search(grid, e, points)], *high = low + 1;
    double f = (high->energy - e) / (high->energy - low->energy);
    for (int k = 0; k < 2; k++)
        macro[k] += high->xs[k] - f * (high->xs[k] - low->xs[k]);
    total[i] = macro[0] * macro[1];
}

void lookup(double *total, const double *energy, const GridPoint *grid, int lookups, int points)
{
    lookup_kernel<<<(lookups + 7) / 8, 8>>>(total, energy, grid, lookups, points);
}
