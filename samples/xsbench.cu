// Macroscopic cross-sections as XSBench looks them up: one search in an energy grid that unites those of all nuclides.
//
// Each point of the united grid knows, for every nuclide, the last point of the nuclide's own grid at or below it.  A
// lookup draws an energy and a material from a random number generator, searches the united grid once, and interpolates
// five reaction channels of each nuclide of the material.  hetad differentiates with respect to the nuclides' tables and
// their concentrations, which are measured and uncertain; the united grid only says where to look.
//
// After J. Tramm, A. Siegel, T. Islam, M. Schulz, XSBench: the development and verification of a performance abstraction
// for Monte Carlo reactor analysis, PHYSOR 2014.

#include <stdint.h>

#define CHANNELS 5
#define MATERIALS 12
#define FIRST_SEED 1070

typedef struct {
    double energy, total_xs, elastic_xs, absorption_xs, fission_xs, nu_fission_xs;
} NuclideGridPoint;

typedef struct {
    int lookups, n_isotopes, n_gridpoints, max_num_nucs;
} Inputs;

// Device pointers.  Material m has num_nucs[m] nuclides: mats[m * max_num_nucs], …, of the concentrations concs[…].
typedef struct {
    int *num_nucs, *mats, *index_grid;
    double *concs, *egrid;
    NuclideGridPoint *nuclide_grid;
    double *macro_xs;   // of each lookup, all channels
    int *verification;  // the channel that is largest
} SimulationData;

// A linear congruential generator modulo 2^63.
__device__ double random_double(uint64_t *seed)
{
    *seed = (2806196910506780709ULL * *seed + 1ULL) % 9223372036854775808ULL;
    return (double)*seed / 9223372036854775808.0;
}

// The generator's state n steps on: squares the step log2(n) times.
__device__ uint64_t fast_forward(uint64_t seed, uint64_t n)
{
    uint64_t factor = 2806196910506780709ULL, offset = 1ULL, all_factor = 1ULL, all_offset = 0ULL;
    while (n > 0) {
        if (n & 1) {
            all_factor *= factor;
            all_offset = all_offset * factor + offset;
        }
        offset *= factor + 1;
        factor *= factor;
        n >>= 1;
    }
    return (all_factor * seed + all_offset) % 9223372036854775808ULL;
}

// Materials are as frequent as their volumes in the core: fuel, cladding, cold and hot water, vessel, reflectors, …
__device__ int pick_mat(uint64_t *seed)
{
    const double share[MATERIALS] = {0.140, 0.052, 0.275, 0.134, 0.154, 0.064,
                                     0.066, 0.055, 0.008, 0.015, 0.025, 0.012};
    double roll = random_double(seed), running = 0.0;
    for (int m = 0; m < MATERIALS; m++) {
        running += share[m];
        if (roll < running)
            return m;
    }
    return 0;
}

// The last point at or below this energy.
__device__ long grid_search(long n, double energy, const double *grid)
{
    long low = 0, high = n - 1;
    while (high - low > 1) {
        long middle = low + (high - low) / 2;
        if (grid[middle] > energy)
            high = middle;
        else
            low = middle;
    }
    return low;
}

__device__ void micro_xs(double energy, int nuc, long point, Inputs in, SimulationData data, double *xs)
{
    int index = data.index_grid[point * in.n_isotopes + nuc];
    if (index == in.n_gridpoints - 1)
        index--;
    NuclideGridPoint *low = &data.nuclide_grid[(long)nuc * in.n_gridpoints + index];
    NuclideGridPoint *high = low + 1;
    double f = (high->energy - energy) / (high->energy - low->energy);
    xs[0] = high->total_xs - f * (high->total_xs - low->total_xs);
    xs[1] = high->elastic_xs - f * (high->elastic_xs - low->elastic_xs);
    xs[2] = high->absorption_xs - f * (high->absorption_xs - low->absorption_xs);
    xs[3] = high->fission_xs - f * (high->fission_xs - low->fission_xs);
    xs[4] = high->nu_fission_xs - f * (high->nu_fission_xs - low->nu_fission_xs);
}

__device__ void calculate_macro_xs(double energy, int mat, Inputs in, SimulationData data, double *macro_xs)
{
    for (int k = 0; k < CHANNELS; k++)
        macro_xs[k] = 0.0;
    long point = grid_search((long)in.n_isotopes * in.n_gridpoints, energy, data.egrid);
    for (int j = 0; j < data.num_nucs[mat]; j++) {
        double xs[CHANNELS];
        int nuc = data.mats[mat * in.max_num_nucs + j];
        double conc = data.concs[mat * in.max_num_nucs + j];
        micro_xs(energy, nuc, point, in, data, xs);
        for (int k = 0; k < CHANNELS; k++)
            macro_xs[k] += xs[k] * conc;
    }
}

__global__ void xs_lookup_kernel(Inputs in, SimulationData data)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= in.lookups)
        return;
    uint64_t seed = fast_forward(FIRST_SEED, 2 * i);
    double energy = random_double(&seed);
    int mat = pick_mat(&seed);
    double macro_xs[CHANNELS];
    calculate_macro_xs(energy, mat, in, data, macro_xs);

    double max = -1.0;
    int max_index = 0;
    for (int k = 0; k < CHANNELS; k++) {
        data.macro_xs[i * CHANNELS + k] = macro_xs[k];
        if (macro_xs[k] > max) {
            max = macro_xs[k];
            max_index = k;
        }
    }
    data.verification[i] = max_index + 1;
}

void simulate(double *macro_xs, int *verification, NuclideGridPoint *nuclide_grid, double *egrid, int *index_grid,
              double *concs, int *mats, int *num_nucs, int lookups, int n_isotopes, int n_gridpoints, int max_num_nucs)
{
    Inputs in = {lookups, n_isotopes, n_gridpoints, max_num_nucs};
    SimulationData data = {num_nucs, mats, index_grid, concs, egrid, nuclide_grid, macro_xs, verification};
    int threads = 256;
    xs_lookup_kernel<<<(lookups + threads - 1) / threads, threads>>>(in, data);
}
