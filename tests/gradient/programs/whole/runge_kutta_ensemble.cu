/*---
function = "fit"
wrt = ["y0", "parameters"]
[inputs]
y0 = { shape = [3, 21], random = 1 }
parameters = { shape = [3, 21], random_uniform = 2, low = 0.5, high = 1.5 }
data = { shape = [4, 21], random = 3 }
members = 21
steps = 3
dt = 0.02
---*/
// An ensemble of Lorenz systems, one a thread, by the classical Runge-Kutta method; between observations the host calls
// the integrator, and the distance to the data is weighted on the host.
#include <stdlib.h>

typedef struct {
    double x, y, z;
} Point;

typedef struct {
    double sigma, rho, beta;
} Lorenz;

__device__ Point velocity(Point p, Lorenz l)
{
    Point d;
    d.x = 10.0 * l.sigma * (p.y - p.x);
    d.y = p.x * (28.0 * l.rho - p.z) - p.y;
    d.z = p.x * p.y - 8.0 / 3.0 * l.beta * p.z;
    return d;
}

__device__ Point along(Point p, double s, Point d)
{
    p.x += s * d.x;
    p.y += s * d.y;
    p.z += s * d.z;
    return p;
}

__global__ void integrate(double *y, const double *parameters, int members, int steps, double dt)
{
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= members)
        return;
    Point p = {y[m], y[members + m], y[2 * members + m]};
    const Lorenz l = {parameters[m], parameters[members + m], parameters[2 * members + m]};
    for (int s = 0; s < steps; ++s) {
        Point k1 = velocity(p, l);
        Point k2 = velocity(along(p, 0.5 * dt, k1), l);
        Point k3 = velocity(along(p, 0.5 * dt, k2), l);
        Point k4 = velocity(along(p, dt, k3), l);
        p = along(along(along(along(p, dt / 6, k1), dt / 3, k2), dt / 3, k3), dt / 6, k4);
    }
    y[m] = p.x;
    y[members + m] = p.y;
    y[2 * members + m] = p.z;
}

static double distance(const double *device, const double *data, double *host, int members)
{
    double sum = 0.0;
    cudaMemcpy(host, device, members * sizeof(double), cudaMemcpyDeviceToHost);
    for (int m = 0; m < members; m++)
        sum += (host[m] - data[m]) * (host[m] - data[m]);
    return sum / members;
}

double fit(const double *y0, const double *parameters, const double *data, int members, int steps, double dt)
{
    double *d_y, *d_parameters, *host = (double *)malloc(members * sizeof(double)), total = 0.0, weight = 1.0;
    cudaMalloc(&d_y, 3 * members * sizeof(double));
    cudaMalloc(&d_parameters, 3 * members * sizeof(double));
    cudaMemcpy(d_y, y0, 3 * members * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_parameters, parameters, 3 * members * sizeof(double), cudaMemcpyHostToDevice);
    for (int o = 0; o < 4; o++) {
        integrate<<<(members + 7) / 8, 8>>>(d_y, d_parameters, members, steps, dt);
        total += weight * distance(d_y, data + o * members, host, members);
        weight *= 0.8;
    }
    free(host);
    cudaFree(d_y);
    cudaFree(d_parameters);
    return total;
}
