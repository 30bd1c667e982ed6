// The material update of a Lagrangian hydrodynamics code: energy, pressure and artificial viscosity of each element,
// after its volume has changed, by an equation of state that is asked several times.
//
// C++ as such codes are written: a domain that owns its arrays on the device and frees them, references as results,
// cuts that set what is small to zero.  Elements of some regions repeat the work, as their materials are dearer.
//
// After the function ApplyMaterialPropertiesForElems of I. Karlin, J. Keasling, R. Neely, LULESH 2.0 updates and
// changes, Lawrence Livermore National Laboratory, 2013.

using Real = double;
using Index = int;

struct Elements {
    Real *energy, *pressure, *viscosity, *volume, *sound;
    Index *region;
    Index count;
};

class Domain {
public:
    explicit Domain(Index count)
    {
        view_.count = count;
        cudaMalloc(&view_.energy, count * sizeof(Real));
        cudaMalloc(&view_.pressure, count * sizeof(Real));
        cudaMalloc(&view_.viscosity, count * sizeof(Real));
        cudaMalloc(&view_.volume, count * sizeof(Real));
        cudaMalloc(&view_.sound, count * sizeof(Real));
        cudaMalloc(&view_.region, count * sizeof(Index));
    }
    ~Domain()
    {
        cudaFree(view_.energy);
        cudaFree(view_.pressure);
        cudaFree(view_.viscosity);
        cudaFree(view_.volume);
        cudaFree(view_.sound);
        cudaFree(view_.region);
    }
    Domain(const Domain &) = delete;
    Domain &operator=(const Domain &) = delete;
    const Elements &elements() const { return view_; }

private:
    Elements view_;
};

struct Cuts {
    Real energy, pressure, least_pressure, least_energy, density;
};

// Pressure, and its derivatives with respect to the energy and the compression.
__device__ void pressure_of(Real &p, Real &by_energy, Real &slope, Real energy, Real compression, Real volume,
                            const Cuts &cuts)
{
    const Real two_thirds = 2.0 / 3.0;
    by_energy = two_thirds * (compression + 1.0);
    slope = two_thirds;
    p = by_energy * energy;
    if (fabs(p) < cuts.pressure)
        p = 0.0;
    if (volume >= 1.0e9)
        p = 0.0;
    if (p < cuts.least_pressure)
        p = cuts.least_pressure;
}

__device__ Real sound_of(Real energy, Real p, Real by_energy, Real slope, Real volume, const Cuts &cuts)
{
    const Real squared = (slope * energy + volume * volume * by_energy * p) / cuts.density;
    return squared <= 1.0e-30 ? 1.0e-15 : sqrt(squared);
}

struct State {
    Real energy, p, q, by_energy, slope;
};

// The state after a change of the volume, from that before, by half a step and a correction.
__device__ State compressed(const State &old, Real volume, Real change, const Cuts &cuts)
{
    State now;
    const Real half_volume = volume - change * 0.5;
    const Real compression = 1.0 / volume - 1.0, half_compression = 1.0 / half_volume - 1.0;
    now.energy = old.energy - 0.5 * change * (old.p + old.q);
    if (now.energy < cuts.least_energy)
        now.energy = cuts.least_energy;
    Real half_p;
    pressure_of(half_p, now.by_energy, now.slope, now.energy, half_compression, volume, cuts);
    const Real half = 1.0 / (1.0 + half_compression);
    now.q = 0.0;
    if (change <= 0.0)
        now.q = old.q - 0.3 * change * sound_of(now.energy, half_p, now.by_energy, now.slope, half, cuts);
    now.energy += 0.5 * change * (3.0 * (old.p + old.q) - 4.0 * (half_p + now.q));
    if (fabs(now.energy) < cuts.energy)
        now.energy = 0.0;
    pressure_of(now.p, now.by_energy, now.slope, now.energy, compression, volume, cuts);
    return now;
}

__global__ void update_material(Elements elements, const Real *new_volume, Cuts cuts)
{
    const Index i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= elements.count)
        return;
    const State old{elements.energy[i], elements.pressure[i], elements.viscosity[i], 0.0, 0.0};
    const Real volume = new_volume[i], change = volume - elements.volume[i];
    State now = old;
    for (Index again = 0; again <= elements.region[i]; ++again)
        now = compressed(old, volume, change, cuts);
    elements.energy[i] = now.energy;
    elements.pressure[i] = now.p;
    elements.viscosity[i] = now.q;
    elements.sound[i] = sound_of(now.energy, now.p, now.by_energy, now.slope, volume, cuts);
    elements.volume[i] = fabs(volume - 1.0) < 1.0e-10 ? 1.0 : volume;
}

// `volumes` has those after each step, step by step.
void update_materials(Real *energy, Real *sound, const Real *volume, const Real *volumes, const Index *region,
                      Index count, Index steps)
{
    Domain domain(count);
    const Elements &elements = domain.elements();
    const Cuts cuts{1.0e-7, 1.0e-7, 0.0, -1.0e15, 1.0};
    Real *new_volume;
    cudaMalloc(&new_volume, count * sizeof(Real));
    cudaMemcpy(elements.energy, energy, count * sizeof(Real), cudaMemcpyHostToDevice);
    cudaMemcpy(elements.volume, volume, count * sizeof(Real), cudaMemcpyHostToDevice);
    cudaMemcpy(elements.region, region, count * sizeof(Index), cudaMemcpyHostToDevice);
    cudaMemset(elements.pressure, 0, count * sizeof(Real));
    cudaMemset(elements.viscosity, 0, count * sizeof(Real));
    for (Index step = 0; step < steps; ++step) {
        cudaMemcpy(new_volume, volumes + step * count, count * sizeof(Real), cudaMemcpyHostToDevice);
        update_material<<<(count + 127) / 128, 128>>>(elements, new_volume, cuts);
    }
    cudaMemcpy(energy, elements.energy, count * sizeof(Real), cudaMemcpyDeviceToHost);
    cudaMemcpy(sound, elements.sound, count * sizeof(Real), cudaMemcpyDeviceToHost);
    cudaFree(new_volume);
}
