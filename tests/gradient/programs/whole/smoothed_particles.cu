/*---
function = "settle"
wrt = ["particles", "stiffness", "width"]
of = ["particles"]
[inputs]
particles = { shape = [19], random = 1 }
n = 19
steps = 3
stiffness = 0.8
width = 1.1
dt = 0.02
---*/
// Smoothed particle hydrodynamics: density, pressure force and motion of particles in an array of structs, in place.
#include <math.h>

struct Particle {
    double2 position, velocity, force;
    double density, pressure;
    int fixed;
};

__device__ inline double kernel_value(double r2, double h)
{
    double q = h * h - r2;
    return q > 0.0 ? 4.0 / (3.14159265 * pow(h, 8.0)) * q * q * q : 0.0;
}

__device__ inline double2 minus(double2 a, double2 b)
{
    return make_double2(a.x - b.x, a.y - b.y);
}

__global__ void densities(struct Particle *p, int n, double h, double stiffness)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double rho = 0.0;
    for (int j = 0; j < n; j++) {
        double2 d = minus(p[i].position, p[j].position);
        rho += kernel_value(d.x * d.x + d.y * d.y, h);
    }
    p[i].density = rho;
    p[i].pressure = stiffness * (pow(rho, 1.4) - 1.0);
}

__global__ void forces(struct Particle *p, int n, double h)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double2 f = make_double2(0.0, -1.0);
    for (int j = 0; j < n; j++) {
        if (j == i)
            continue;
        double2 d = minus(p[i].position, p[j].position);
        double r = sqrt(d.x * d.x + d.y * d.y + 1e-9);
        if (r >= h)
            continue;
        double spiky = 30.0 / (3.14159265 * pow(h, 5.0)) * (h - r) * (h - r);
        double s = (p[i].pressure + p[j].pressure) / (2.0 * p[j].density) * spiky / r;
        f.x += s * d.x;
        f.y += s * d.y;
    }
    p[i].force = f;
}

__global__ void move(struct Particle *p, int n, double dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || p[i].fixed)
        return;
    struct Particle me = p[i];
    me.velocity.x += dt * me.force.x / me.density;
    me.velocity.y += dt * me.force.y / me.density;
    me.position.x += dt * me.velocity.x;
    me.position.y += dt * me.velocity.y;
    if (me.position.y < -2.0) {
        me.position.y = -4.0 - me.position.y;
        me.velocity.y *= -0.5;
    }
    p[i] = me;
}

void settle(struct Particle *particles, int n, int steps, double stiffness, double width, double dt)
{
    struct Particle *d;
    cudaMalloc((void **)&d, n * sizeof(struct Particle));
    cudaMemcpy(d, particles, n * sizeof(*d), cudaMemcpyHostToDevice);
    for (int t = 0; t != steps; ++t) {
        densities<<<(n + 7) / 8, 8>>>(d, n, width, stiffness);
        forces<<<(n + 7) / 8, 8>>>(d, n, width);
        move<<<(n + 7) / 8, 8>>>(d, n, dt);
    }
    cudaMemcpy(particles, d, n * sizeof(*d), cudaMemcpyDeviceToHost);
    cudaFree(d);
}
