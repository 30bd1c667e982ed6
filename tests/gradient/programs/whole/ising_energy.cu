/*---
function = "mean_energy"
wrt = ["coupling", "field"]
[inputs]
coupling = { shape = [6, 8, 2], random = 1 }
field = 0.3
seed = 12345
rows = 6
columns = 8
sweeps = 4
beta = 0.4
---*/
// Metropolis on a spin glass: random numbers of an integer generator per site and the spins are inactive; the energy of
// the spins that the walk visits is differentiated with respect to the couplings.
#include <math.h>
#include <stdint.h>

typedef uint32_t u32;

__device__ __host__ static inline u32 mix(u32 h)
{
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    return h ^ (h >> 16);
}

__device__ double uniform(u32 *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state * (1.0 / 4294967296.0);
}

__global__ void seed_sites(u32 *states, signed char *spins, u32 seed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        states[i] = mix(seed + i) | 1u;
        spins[i] = mix(i * 2654435761u) & 1u ? 1 : -1;
    }
}

__device__ double local_field(const signed char *spins, const double *coupling, double field, int y, int x, int rows,
                              int columns)
{
    int right = y * columns + (x + 1) % columns, down = (y + 1) % rows * columns + x;
    int left = y * columns + (x + columns - 1) % columns, up = (y + rows - 1) % rows * columns + x;
    int i = y * columns + x;
    return coupling[2 * i] * spins[right] + coupling[2 * i + 1] * spins[down] + coupling[2 * left] * spins[left]
        + coupling[2 * up + 1] * spins[up] + field;
}

__global__ void metropolis(signed char *spins, u32 *states, const double *coupling, double field, double beta, int rows,
                           int columns, int parity)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= columns || y >= rows || (x + y) % 2 != parity)
        return;
    int i = y * columns + x;
    double cost = 2.0 * spins[i] * local_field(spins, coupling, field, y, x, rows, columns);
    if (cost <= 0.0 || uniform(&states[i]) < exp(-beta * cost))
        spins[i] = -spins[i];
}

__global__ void energy(double *sum, const signed char *spins, const double *coupling, double field, int rows,
                       int columns)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < columns && y < rows) {
        int i = y * columns + x;
        atomicAdd(sum, -0.5 * spins[i] * (local_field(spins, coupling, field, y, x, rows, columns) + field));
    }
}

double mean_energy(const double *coupling, double field, unsigned seed, int rows, int columns, int sweeps, double beta)
{
    int n = rows * columns;
    double *d_coupling, *d_sum, mean = 0.0;
    signed char *spins;
    u32 *states;
    cudaMalloc(&d_coupling, 2 * n * sizeof(double));
    cudaMalloc(&d_sum, sizeof(double));
    cudaMalloc(&spins, n);
    cudaMalloc(&states, n * sizeof(u32));
    cudaMemcpy(d_coupling, coupling, 2 * n * sizeof(double), cudaMemcpyHostToDevice);
    seed_sites<<<(n + 31) / 32, 32>>>(states, spins, mix(seed), n);
    dim3 block(4, 4), grid((columns + 3) / 4, (rows + 3) / 4);
    for (int s = 1; s <= sweeps; s++) {
        double now;
        for (int parity = 0; parity < 2; parity++)
            metropolis<<<grid, block>>>(spins, states, d_coupling, field, beta, rows, columns, parity);
        cudaMemset(d_sum, 0, sizeof(double));
        energy<<<grid, block>>>(d_sum, spins, d_coupling, field, rows, columns);
        cudaMemcpy(&now, d_sum, sizeof(double), cudaMemcpyDeviceToHost);
        mean += (now - mean) / s;
    }
    cudaFree(d_coupling);
    cudaFree(d_sum);
    cudaFree(spins);
    cudaFree(states);
    return mean / n;
}
