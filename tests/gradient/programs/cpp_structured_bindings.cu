/*---
function = "orbit"
wrt = ["state", "mass"]
of = ["state", "energy"]
[inputs]
state = { shape = [20], random_uniform = 6, low = 0.5, high = 1.5 }
energy = { zeros = [5] }
mass = 1.2
n = 5
steps = 3
---*/
// Structured bindings of structs, arrays and pairs, by value and by reference; declarations in conditions.
#include <utility>

struct Body {
    double x, y, vx, vy;
};

struct Force {
    double fx;
    double fy;
};

__device__ Force gravity(double x, double y, double mass)
{
    const double r2 = x * x + y * y + 0.1;
    const double f = -mass / (r2 * sqrt(r2));
    return {f * x, f * y};
}

__device__ std::pair<double, double> energies(const Body &body, double mass)
{
    const auto &[x, y, vx, vy] = body;
    double kinetic = 0.5 * (vx * vx + vy * vy);
    return std::make_pair(kinetic, -mass / sqrt(x * x + y * y + 0.1));
}

__global__ void integrate(Body *bodies, double *energy, double mass, double dt, int n, int steps)
{
    if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) {
        auto &[x, y, vx, vy] = bodies[i];
        for (int s = 0; s < steps; ++s) {
            auto [fx, fy] = gravity(x, y, mass);
            vx += dt * fx;
            vy += dt * fy;
            x += dt * vx;
            y += dt * vy;
        }
        double weights[2] = {0.75, 1.25};
        auto [a, b] = weights;
        weights[0] = 100.0;
        auto [kinetic, potential] = energies(bodies[i], mass);
        energy[i] = a * kinetic + b * potential;
    }
}

void orbit(double *state, double *energy, double mass, int n, int steps)
{
    Body *d_bodies;
    double *d_energy;
    cudaMalloc(&d_bodies, n * sizeof(Body));
    cudaMalloc(&d_energy, n * sizeof(double));
    cudaMemcpy(d_bodies, state, n * sizeof(Body), cudaMemcpyHostToDevice);
    integrate<<<(n + 3) / 4, 4>>>(d_bodies, d_energy, mass, 0.05, n, steps);
    if (cudaError_t err = cudaGetLastError(); err != cudaSuccess)
        return;
    cudaMemcpy(state, d_bodies, n * sizeof(Body), cudaMemcpyDeviceToHost);
    cudaMemcpy(energy, d_energy, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_bodies);
    cudaFree(d_energy);
}
