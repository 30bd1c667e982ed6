/*---
function = "simulate"
wrt = ["u", "alpha"]
of = ["u", "total"]
[inputs]
u = { shape = [15], random = 1 }
total = { zeros = [2] }
alpha = 0.15
n = 15
steps = 3
---*/
// Solvers with virtual functions, whose objects are variables: the base's step calls the derived classes' parts, helpers
// take references to the base.
class Potential {
public:
    __host__ __device__ virtual double energy(double v) const = 0;
    __host__ __device__ virtual double scale() const { return 1.5; }
    __host__ __device__ double scaled(double v) const { return scale() * energy(v); }
};
class Harmonic final : public Potential {
public:
    __host__ __device__ explicit Harmonic(double k) : k_(k) {}
    __host__ __device__ double energy(double v) const override { return 0.5 * k_ * v * v; }

private:
    double k_;
};
class Morse : public Potential {
public:
    __host__ __device__ Morse(double d, double a) : depth(d), width(a) {}
    __host__ __device__ double energy(double v) const override
    {
        const double e = 1.0 - exp(-width * v);
        return depth * e * e;
    }
    __host__ __device__ double scale() const override { return Potential::scale() + 0.25 * depth; }
    double depth, width;
};

template <class P> __global__ void energies(double *out, const double *u, P potential, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = potential.scaled(u[i]);
}

__global__ void laplace(double *out, const double *in, double alpha, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] + alpha * ((i > 0 ? in[i - 1] : 0.0) - 2.0 * in[i] + (i < n - 1 ? in[i + 1] : 0.0));
}
__global__ void react(double *out, const double *in, double rate, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] + rate * in[i] * (1.0 - in[i]);
}

class Solver {
public:
    Solver(double *a, double *b, int n) : now(a), next(b), size(n) {}
    void run(int steps)
    {
        for (int s = 0; s < steps; ++s) {
            advance();
            double *held = now;
            now = next;
            next = held;
        }
    }
    double *state() const { return now; }

protected:
    virtual void advance() = 0;
    double *now, *next;
    int size;
};
class Diffusion : public Solver {
public:
    Diffusion(double *a, double *b, int n, double c) : Solver(a, b, n), alpha(c) {}

protected:
    void advance() override { laplace<<<(size + 3) / 4, 4>>>(next, now, alpha, size); }
    double alpha;
};
class Reaction : public Solver {
public:
    Reaction(double *a, double *b, int n) : Solver(a, b, n) {}

private:
    void advance() override { react<<<(size + 3) / 4, 4>>>(next, now, 0.3, size); }
};

static double sum_of(const Potential &p, const double *u, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i)
        sum += p.scaled(u[i]) + 0.1 * p.energy(1.0);
    return sum;
}
static void twice(Solver *solver, int steps)
{
    solver->run(steps);
    solver->run(1);
}

void simulate(double *u, double *total, double alpha, int n, int steps)
{
    double *a, *b;
    cudaMalloc(&a, n * sizeof(double));
    cudaMalloc(&b, n * sizeof(double));
    cudaMemcpy(a, u, n * sizeof(double), cudaMemcpyHostToDevice);
    Diffusion first(a, b, n, alpha);
    twice(&first, steps);
    Reaction second(first.state(), first.state() == a ? b : a, n);
    Solver &reference = second;
    reference.run(2);
    const Harmonic harmonic(1.3);
    const Morse morse{0.8, alpha};
    double *spare = second.state() == a ? b : a;
    energies<<<4, 4>>>(spare, second.state(), morse, n);
    cudaMemcpy(u, spare, n * sizeof(double), cudaMemcpyDeviceToHost);
    total[0] = sum_of(harmonic, u, n);
    total[1] = sum_of(morse, u, n);
    cudaFree(a);
    cudaFree(b);
}
