/*---
function = "simulate"
wrt = ["velocity", "mass", "dt"]
of = ["position", "drift"]
[inputs]
position = { shape = [13, 3], random = 1 }
velocity = { shape = [13, 3], random = 2 }
mass = { shape = [13], random_uniform = 3, low = 0.5, high = 1.5 }
drift = { zeros = [1] }
n = 13
steps = 5
dt = 0.03
---*/
// Gravity by kick, drift, kick: the initial velocities are what the orbit's end is differentiated with respect to,
// together with the change of the total energy.
#include <math.h>

typedef struct {
    double3 *position, *velocity, *acceleration;
    double *mass;
    int n;
} Bodies;

#define SOFTENING 0.1

__global__ void attract(Bodies b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= b.n)
        return;
    double3 me = b.position[i], a = make_double3(0.0, 0.0, 0.0);
    for (int j = 0; j < b.n; j++) {
        double3 other = b.position[j];
        double dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
        double inverse = rsqrt(dx * dx + dy * dy + dz * dz + SOFTENING);
        double pull = b.mass[j] * inverse * inverse * inverse;
        a.x += pull * dx;
        a.y += pull * dy;
        a.z += pull * dz;
    }
    b.acceleration[i] = a;
}

__global__ void kick(Bodies b, double dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < b.n) {
        b.velocity[i].x += dt * b.acceleration[i].x;
        b.velocity[i].y += dt * b.acceleration[i].y;
        b.velocity[i].z += dt * b.acceleration[i].z;
    }
}

__global__ void drift_kernel(Bodies b, double dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < b.n) {
        b.position[i].x += dt * b.velocity[i].x;
        b.position[i].y += dt * b.velocity[i].y;
        b.position[i].z += dt * b.velocity[i].z;
    }
}

__global__ void energy_kernel(double *energy, Bodies b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= b.n)
        return;
    double3 v = b.velocity[i], p = b.position[i];
    double e = 0.5 * b.mass[i] * (v.x * v.x + v.y * v.y + v.z * v.z);
    for (int j = 0; j < i; j++) {
        double3 q = b.position[j];
        double r2 = (p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y) + (p.z - q.z) * (p.z - q.z);
        e -= b.mass[i] * b.mass[j] / sqrt(r2 + SOFTENING);
    }
    atomicAdd(energy, e);
}

static double energy(Bodies b, double *d_energy)
{
    double e = 0.0;
    cudaMemcpy(d_energy, &e, sizeof(e), cudaMemcpyHostToDevice);
    energy_kernel<<<(b.n + 7) / 8, 8>>>(d_energy, b);
    cudaMemcpy(&e, d_energy, sizeof(e), cudaMemcpyDeviceToHost);
    return e;
}

void simulate(double *position, const double *velocity, const double *mass, double *drift, int n, int steps, double dt)
{
    Bodies b;
    double *d_energy;
    b.n = n;
    cudaMalloc((void **)&b.position, n * sizeof(double3));
    cudaMalloc((void **)&b.velocity, n * sizeof(double3));
    cudaMalloc((void **)&b.acceleration, n * sizeof(double3));
    cudaMalloc((void **)&b.mass, n * sizeof(double));
    cudaMalloc((void **)&d_energy, sizeof(double));
    cudaMemcpy(b.position, position, n * sizeof(double3), cudaMemcpyHostToDevice);
    cudaMemcpy(b.velocity, velocity, n * sizeof(double3), cudaMemcpyHostToDevice);
    cudaMemcpy(b.mass, mass, n * sizeof(double), cudaMemcpyHostToDevice);
    const int threads = 8, blocks = (n + threads - 1) / threads;
    double before = energy(b, d_energy);
    attract<<<blocks, threads>>>(b);
    for (int t = 0; t < steps; t++) {
        kick<<<blocks, threads>>>(b, 0.5 * dt);
        drift_kernel<<<blocks, threads>>>(b, dt);
        attract<<<blocks, threads>>>(b);
        kick<<<blocks, threads>>>(b, 0.5 * dt);
    }
    *drift = energy(b, d_energy) - before;
    cudaMemcpy(position, b.position, n * sizeof(double3), cudaMemcpyDeviceToHost);
    cudaFree(b.position);
    cudaFree(b.velocity);
    cudaFree(b.acceleration);
    cudaFree(b.mass);
    cudaFree(d_energy);
}
