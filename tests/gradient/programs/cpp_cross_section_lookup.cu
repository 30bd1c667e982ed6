/*---
function = "reaction_rates"
wrt = ["energies", "data", "densities"]
of = ["rates"]
[inputs]
rates = { zeros = [22] }
energies = { shape = [11], random_uniform = 1, low = 0.05, high = 0.95 }
grid = { values = [0.0, 0.11, 0.23, 0.4, 0.52, 0.71, 0.83, 1.0] }
data = { shape = [48], random_uniform = 2, low = 0.5, high = 2.0 }
densities = { shape = [3], random_uniform = 3, low = 0.2, high = 1.0 }
lookups = 11
points = 8
---*/
// Cross sections by energy, in the manner of Monte Carlo neutronics: binary search, structs of channels, a material class.
enum class Channel : int { Total, Absorption, Count };

struct CrossSection {
    double total, absorption;
    __host__ __device__ double operator[](Channel c) const { return c == Channel::Total ? total : absorption; }
    __host__ __device__ CrossSection &operator+=(const CrossSection &o)
    {
        total += o.total;
        absorption += o.absorption;
        return *this;
    }
};
__host__ __device__ inline CrossSection operator*(double f, const CrossSection &s) { return {f * s.total, f * s.absorption}; }
__host__ __device__ inline CrossSection interpolate(const CrossSection &a, const CrossSection &b, double t)
{
    CrossSection s = (1.0 - t) * a;
    s += t * b;
    return s;
}

template <class T, class Compare> __device__ int upper_bound(const T *values, int n, T key, Compare before)
{
    int low = 0, high = n;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (before(key, values[middle]))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

class Library {
public:
    Library() = default;
    Library(const double *g, const CrossSection *d, int n) : grid_(g), data_(d), points_(n) {}
    __device__ CrossSection micro(int nuclide, double energy) const
    {
        const int found = upper_bound(grid_, points_, energy, [](double a, double b) { return a < b; });
        const int i = min(max(found, 1), points_ - 1);
        const double t = (energy - grid_[i - 1]) / (grid_[i] - grid_[i - 1]);
        const CrossSection *own = data_ + nuclide * points_;
        return interpolate(own[i - 1], own[i], t);
    }

private:
    const double *grid_ = nullptr;
    const CrossSection *data_ = nullptr;
    int points_ = 0;
};

template <int Nuclides> struct Material {
    double density[Nuclides];
    __device__ CrossSection macro(const Library &library, double energy) const
    {
        CrossSection sum{0.0, 0.0};
        for (int n = 0; n < Nuclides; ++n)
            sum += density[n] * library.micro(n, energy);
        return sum;
    }
};

template <int Nuclides>
__global__ void lookup(double *rates, const double *energies, Library library, Material<Nuclides> material, int n)
{
    constexpr int channels = static_cast<int>(Channel::Count);
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const auto s = material.macro(library, energies[i]);
    for (int c = 0; c < channels; ++c)
        rates[i * channels + c] = s[static_cast<Channel>(c)] / (1.0 + s[Channel::Total]);
}

void reaction_rates(double *rates, const double *energies, const double *grid, const double *data, const double *densities, int lookups, int points)
{
    constexpr int nuclides = 3;
    double *d_rates, *d_energies, *d_grid;
    CrossSection *d_data;
    cudaMalloc(&d_rates, 2 * lookups * sizeof(double));
    cudaMalloc(&d_energies, lookups * sizeof(double));
    cudaMalloc(&d_grid, points * sizeof(double));
    cudaMalloc(&d_data, nuclides * points * sizeof(CrossSection));
    cudaMemcpy(d_energies, energies, lookups * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_grid, grid, points * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_data, data, nuclides * points * sizeof(CrossSection), cudaMemcpyHostToDevice);
    Material<nuclides> material;
    for (int n = 0; n < nuclides; ++n)
        material.density[n] = densities[n];
    lookup<<<(lookups + 3) / 4, 4>>>(d_rates, d_energies, Library(d_grid, d_data, points), material, lookups);
    cudaMemcpy(rates, d_rates, 2 * lookups * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_rates);
    cudaFree(d_energies);
    cudaFree(d_grid);
    cudaFree(d_data);
}
