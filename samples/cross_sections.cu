// Macroscopic cross-sections of a nuclear reactor's materials: what a Monte Carlo code looks up at every collision.
//
// A material is a list of nuclides with their densities.  The smooth part of a nuclide's cross-section is a table over
// energy, found by binary search and interpolated linearly; its resonances are poles in the complex plane of the square
// root of energy, in complex arithmetic by structs that go by value.  hetad differentiates with respect to everything that
// is measured and uncertain: tables, densities, poles and residues, for all lookups at once.

typedef struct {
    double re, im;
} complex;

typedef struct {
    double energy, total, absorption;
} grid_point;

typedef struct {
    complex position, total, absorption;
} pole;

__device__ complex add(complex a, complex b)
{
    complex sum = {a.re + b.re, a.im + b.im};
    return sum;
}

__device__ complex multiply(complex a, complex b)
{
    complex product = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    return product;
}

__device__ complex reciprocal(complex a)
{
    double square = a.re * a.re + a.im * a.im;
    complex result = {a.re / square, -a.im / square};
    return result;
}

// The last point at or below this energy.
__device__ int search(const grid_point *points, int count, double energy)
{
    int low = 0, high = count - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (points[middle].energy > energy)
            high = middle;
        else
            low = middle;
    }
    return low;
}

__global__ void lookup_kernel(double *total, double *absorption, const double *energy, const int *material,
                              const int *first, const int *nuclide, const double *density, const grid_point *points,
                              const pole *poles, int lookups, int points_each, int poles_each)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= lookups)
        return;
    double e = energy[i], root = sqrt(e), sum_total = 0.0, sum_absorption = 0.0;
    for (int k = first[material[i]]; k < first[material[i] + 1]; k++) {
        const grid_point *table = points + nuclide[k] * points_each;
        const grid_point *low = table + search(table, points_each, e);
        const grid_point *high = low + 1;
        double f = (e - low->energy) / (high->energy - low->energy);
        double smooth_total = low->total + f * (high->total - low->total);
        double smooth_absorption = low->absorption + f * (high->absorption - low->absorption);

        complex sigma_total = {0.0, 0.0}, sigma_absorption = {0.0, 0.0};
        for (int j = 0; j < poles_each; j++) {
            pole p = poles[nuclide[k] * poles_each + j];
            complex distance = {p.position.re - root, p.position.im};
            complex inverse = reciprocal(distance);
            sigma_total = add(sigma_total, multiply(p.total, inverse));
            sigma_absorption = add(sigma_absorption, multiply(p.absorption, inverse));
        }
        sum_total += density[k] * (smooth_total + sigma_total.re / e);
        sum_absorption += density[k] * (smooth_absorption + sigma_absorption.re / e);
    }
    total[i] = sum_total;
    absorption[i] = sum_absorption;
}

// Device pointers.  Material m has the nuclides nuclide[first[m]] … nuclide[first[m + 1] - 1], with their densities.
void lookup(double *total, double *absorption, const double *energy, const int *material, const int *first,
            const int *nuclide, const double *density, const grid_point *points, const pole *poles, int lookups,
            int points_each, int poles_each)
{
    int threads = 32;
    lookup_kernel<<<(lookups + threads - 1) / threads, threads>>>(total, absorption, energy, material, first, nuclide,
                                                                 density, points, poles, lookups, points_each,
                                                                 poles_each);
}
