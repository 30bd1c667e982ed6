// Macroscopic cross-sections by the multipole method, as RSBench computes them: arithmetic instead of tables.
//
// The resonances of a nuclide are poles in the complex plane, broadened by the temperature through the Faddeeva function.
// Those far from the energy are summed beforehand into one number a channel for each window of energies; the lookup adds
// the poles of its window.  hetad differentiates with respect to poles, windows, radii and concentrations.
//
// After J. Tramm, A. Siegel, B. Forget, C. Josey, Performance analysis of a reduced data movement algorithm for neutron
// cross section data in Monte Carlo simulations, EASC 2014; the Faddeeva function after S. Abrarov, B. Quine, Applied
// Mathematics and Computation 218 (2011).

#include <stdint.h>

#define CHANNELS 4
#define MATERIALS 12
#define MOMENTA 4
#define FIRST_SEED 1070

typedef struct {
    double re, im;
} Complex;

typedef struct {
    Complex energy, total, absorption, fission;
    int momentum;
} Pole;

typedef struct {
    double total, absorption, fission;
    int start, end;  // the poles of the window
} Window;

typedef struct {
    int lookups, max_num_nucs, max_num_windows, max_num_poles;
} Inputs;

// Device pointers.  Material m has num_nucs[m] nuclides: mats[m * max_num_nucs], …, of the concentrations concs[…].
typedef struct {
    int *num_nucs, *mats, *n_windows;
    double *concs, *radii;
    Window *windows;
    Pole *poles;
    double *macro_xs;   // of each lookup, all channels
    int *verification;  // the channel that is largest
} SimulationData;

__device__ Complex plus(Complex a, Complex b)
{
    Complex sum = {a.re + b.re, a.im + b.im};
    return sum;
}

__device__ Complex times(Complex a, Complex b)
{
    Complex product = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    return product;
}

__device__ Complex reciprocal(Complex a)
{
    double square = a.re * a.re + a.im * a.im;
    Complex result = {a.re / square, -a.im / square};
    return result;
}

// (1 + x/4096)^4096
__device__ double fast_exp(double x)
{
    x = 1.0 + x / 4096.0;
    for (int k = 0; k < 12; k++)
        x *= x;
    return x;
}

// The Faddeeva function: a sum of ten terms near the origin, far from it an asymptotic expansion of two.
__device__ Complex fast_w(Complex z)
{
    Complex square = times(z, z);
    if (z.re * z.re + z.im * z.im >= 36.0) {
        Complex left = {square.re - 0.2752551286084109, square.im};
        Complex right = {square.re - 2.7247448713915890, square.im};
        Complex first = reciprocal(left), second = reciprocal(right);
        Complex sum = {0.5124242247547685 * first.re + 0.0517653587929878 * second.re,
                       0.5124242247547685 * first.im + 0.0517653587929878 * second.im};
        Complex turned = {-z.im, z.re};
        return times(turned, sum);
    }
    const double a[10] = {2.758402e-01, 2.245740e-01, 1.594149e-01, 9.866577e-02, 5.324414e-02,
                          2.505215e-02, 1.027747e-02, 3.676164e-03, 1.146494e-03, 3.117570e-04};
    const double b[10] = {9.869604e+00, 3.947842e+01, 8.882644e+01, 1.579137e+02, 2.467401e+02,
                          3.553058e+02, 4.836106e+02, 6.316547e+02, 7.994380e+02, 9.869604e+02};
    double size = fast_exp(-12.0 * z.im), angle = 12.0 * z.re;
    Complex wave = {size * cos(angle), size * sin(angle)};
    Complex sum = {0.0, 0.0};
    double sign = -1.0;
    for (int n = 0; n < 10; n++) {
        Complex above = {a[n] * (sign * wave.re - 1.0), a[n] * sign * wave.im};
        Complex below = {b[n] - 144.0 * square.re, -144.0 * square.im};
        sum = plus(sum, times(above, reciprocal(below)));
        sign = -sign;
    }
    Complex rest = {wave.im / 12.0, (1.0 - wave.re) / 12.0};
    Complex series = times(z, sum), turned = {-81.24330 * series.im, 81.24330 * series.re};
    return plus(times(rest, reciprocal(z)), turned);
}

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

// What the waves of each angular momentum are turned by at the nucleus.
__device__ void phase_factors(int nuc, double energy, SimulationData data, Complex *factors)
{
    for (int l = 0; l < MOMENTA; l++) {
        double phi = data.radii[nuc * MOMENTA + l] * sqrt(energy);
        if (l == 1)
            phi -= atan(phi);
        else if (l == 2)
            phi -= atan(3.0 * phi / (3.0 - phi * phi));
        else if (l == 3)
            phi -= atan(phi * (15.0 - phi * phi) / (15.0 - 6.0 * phi * phi));
        factors[l].re = cos(2.0 * phi);
        factors[l].im = -sin(2.0 * phi);
    }
}

__device__ void micro_xs(double energy, int nuc, Inputs in, SimulationData data, double *xs)
{
    int window = (int)(energy * data.n_windows[nuc]);
    if (window == data.n_windows[nuc])
        window--;
    Complex factors[MOMENTA];
    phase_factors(nuc, energy, data, factors);

    Window w = data.windows[nuc * in.max_num_windows + window];
    double total = energy * w.total, absorption = energy * w.absorption, fission = energy * w.fission;
    for (int k = w.start; k < w.end; k++) {
        Pole pole = data.poles[nuc * in.max_num_poles + k];
        Complex distance = {0.5 * (energy - pole.energy.re), -0.5 * pole.energy.im};
        Complex value = fast_w(distance);
        total += times(pole.total, times(value, factors[pole.momentum])).re;
        absorption += times(pole.absorption, value).re;
        fission += times(pole.fission, value).re;
    }
    xs[0] = total;
    xs[1] = absorption;
    xs[2] = fission;
    xs[3] = total - absorption;
}

__global__ void xs_lookup_kernel(Inputs in, SimulationData data)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= in.lookups)
        return;
    uint64_t seed = fast_forward(FIRST_SEED, 2 * i);
    double energy = random_double(&seed);
    int mat = pick_mat(&seed);
    double macro_xs[CHANNELS] = {0.0};
    for (int j = 0; j < data.num_nucs[mat]; j++) {
        double xs[CHANNELS];
        int nuc = data.mats[mat * in.max_num_nucs + j];
        micro_xs(energy, nuc, in, data, xs);
        for (int k = 0; k < CHANNELS; k++)
            macro_xs[k] += xs[k] * data.concs[mat * in.max_num_nucs + j];
    }

    double max = macro_xs[0];
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

void simulate(double *macro_xs, int *verification, Pole *poles, Window *windows, double *radii, double *concs,
              int *n_windows, int *mats, int *num_nucs, int lookups, int max_num_nucs, int max_num_windows,
              int max_num_poles)
{
    Inputs in = {lookups, max_num_nucs, max_num_windows, max_num_poles};
    SimulationData data = {num_nucs, mats, n_windows, concs, radii, windows, poles, macro_xs, verification};
    int threads = 256;
    xs_lookup_kernel<<<(lookups + threads - 1) / threads, threads>>>(in, data);
}
