/*---
function = "hydro"
wrt = ["energy", "volume"]
of = ["pressure", "sound"]
[inputs]
pressure = { zeros = [12] }
sound = { zeros = [12] }
energy = { shape = [12], random_uniform = 1, low = 0.5, high = 1.5 }
volume = { shape = [12], random_uniform = 2, low = 0.6, high = 1.4 }
region = { values = [0, 1, 2, 0, 1, 2, 2, 1, 0, 0, 2, 1] }
n = 12
---*/
// Materials over regions of a mesh, in the manner of shock hydrodynamics: a domain class with references, a switch over
// an enum class of equations of state, iterations with an early end.
class Domain {
public:
    __host__ __device__ double &e(int i) const { return e_[i]; }
    __host__ __device__ double &v(int i) const { return v_[i]; }
    __host__ __device__ double &p(int i) const { return p_[i]; }
    __host__ __device__ double &ss(int i) const { return ss_[i]; }
    __host__ __device__ int region(int i) const { return region_[i]; }
    __host__ __device__ int &count() { return count_; }
    __host__ __device__ int count() const { return count_; }

    void allocate(int n)
    {
        count() = n;
        for (double **p : {&e_, &v_, &p_, &ss_})
            cudaMalloc(p, n * sizeof(double));
        cudaMalloc(&region_, n * sizeof(int));
    }
    void release()
    {
        for (void *p : {(void *)e_, (void *)v_, (void *)p_, (void *)ss_, (void *)region_})
            cudaFree(p);
    }

    double *e_, *v_, *p_, *ss_;
    int *region_;

private:
    int count_;
};

enum class Material { Gas, Stiffened, Porous };

struct State {
    double pressure, sound;
};

__device__ State evaluate(Material m, double e, double v)
{
    constexpr double gamma = 1.4;
    switch (m) {
    case Material::Gas: {
        const double p = (gamma - 1.0) * e / v;
        return {p, sqrt(gamma * p * v)};
    }
    case Material::Stiffened: {
        const double p = (gamma - 1.0) * e / v + 0.3 * (1.0 - v);
        return {p, sqrt(gamma * (fabs(p) + 0.3) * v)};
    }
    case Material::Porous:
        break;
    }
    State s{0.1 * e, 0.5};
    for (int it = 0; it < 8; ++it) {
        const double old = s.pressure;
        s.pressure = 0.4 * e / (v + 0.05 * old);
        if (fabs(s.pressure - old) < 1e-3)
            break;
    }
    s.sound = sqrt(s.pressure * v + 0.2);
    return s;
}

__global__ void apply(const Domain domain)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= domain.count())
        return;
    double v = domain.v(i);
    if (v < 0.7)
        v = 0.7 + 0.1 * (v - 0.7);
    const auto [p, ss] = evaluate(static_cast<Material>(domain.region(i)), domain.e(i), v);
    domain.p(i) = p;
    domain.ss(i) = ss < 1e-6 ? 1e-6 : ss;
    domain.e(i) -= 0.5 * p * (v - 1.0);
}

void hydro(double *pressure, double *sound, const double *energy, const double *volume, const int *region, int n)
{
    Domain domain;
    domain.allocate(n);
    cudaMemcpy(domain.e_, energy, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(domain.v_, volume, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(domain.region_, region, n * sizeof(int), cudaMemcpyHostToDevice);
    for (int cycle = 0; cycle < 2; ++cycle)
        apply<<<(n + 4) / 5, 5>>>(domain);
    cudaMemcpy(pressure, domain.p_, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaMemcpy(sound, domain.ss_, n * sizeof(double), cudaMemcpyDeviceToHost);
    domain.release();
}
