/*---
function = "settle"
wrt = ["height", "stiffness"]
of = ["height", "energy"]
[inputs]
height = { shape = [7], random = 1 }
energy = { zeros = [1] }
stiffness = 2.5
n = 7
steps = 3
---*/
// Objects in arrays from new[], which constructors make: particles with defaults, springs of a list, a chain that owns them.
struct Particle {
    double y, v, mass;
    Particle() : y(0.0), v(0.1), mass(1.0) {}
};
struct Spring {
    double k = 1.0, rest = 0.25;
};

__global__ void kick(const double *y, double *force, double k, double rest, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double f = 0.0;
    if (i > 0)
        f += k * (y[i - 1] + rest - y[i]);
    if (i + 1 < n)
        f -= k * (y[i] + rest - y[i + 1]);
    force[i] = f;
}

class Chain {
public:
    Chain(int n, double k) : particles(new Particle[n]), springs(new Spring[2]{{k, 0.25}, {0.5 * k}}), size(n)
    {
        cudaMalloc(&y, n * sizeof(double));
        cudaMalloc(&force, n * sizeof(double));
        host = new double[n]();
        particles[n - 1].mass = 2.0;
    }
    ~Chain()
    {
        cudaFree(y);
        cudaFree(force);
        delete[] host;
        delete[] springs;
        delete[] particles;
    }
    Chain(const Chain &) = delete;
    Particle *particles;
    Spring *springs;
    void step(double h, int which)
    {
        for (int i = 0; i < size; ++i)
            host[i] = particles[i].y;
        cudaMemcpy(y, host, size * sizeof(double), cudaMemcpyHostToDevice);
        kick<<<(size + 3) / 4, 4>>>(y, force, springs[which].k, springs[which].rest, size);
        cudaMemcpy(host, force, size * sizeof(double), cudaMemcpyDeviceToHost);
        for (int i = 0; i < size; ++i) {
            particles[i].v += h * host[i] / particles[i].mass;
            particles[i].y += h * particles[i].v;
        }
    }

private:
    double *y, *force, *host;
    int size;
};

void settle(double *height, double *energy, double stiffness, int n, int steps)
{
    Chain chain(n, stiffness);
    for (int i = 0; i < n; ++i)
        chain.particles[i].y = height[i];
    for (int s = 0; s < steps; ++s)
        chain.step(0.1, s % 2);
    for (int i = 0; i < n; ++i) {
        const Particle &p = chain.particles[i];
        energy[0] += 0.5 * p.mass * p.v * p.v;
        height[i] = p.y;
    }
}
