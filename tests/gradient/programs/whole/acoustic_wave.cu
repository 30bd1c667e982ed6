/*---
function = "misfit"
wrt = ["velocity", "wavelet"]
[inputs]
velocity = { shape = [12, 15], random_uniform = 1, low = 0.8, high = 1.3 }
wavelet = { shape = [14], random = 2 }
observed = { shape = [14, 5], random = 3 }
receivers = { values = [1, 4, 7, 10, 13] }
nz = 12
nx = 15
steps = 14
count = 5
source = 52
dt = 0.35

[[cases]]
name = "double"

[[cases]]
name = "one_step"
inputs = { steps = 1 }

[[cases]]
name = "no_step"
inputs = { steps = 0 }
---*/
// Full waveform inversion: the acoustic wave equation in two dimensions with a source that is injected and receivers
// that record a seismogram; the misfit's gradient is taken with respect to the velocity of each cell.
#include <stdlib.h>

#define IDX(i, j) ((i) * nx + (j))

__global__ void propagate(double *next, const double *now, const double *before, const double *velocity, int nz, int nx,
                          double dt)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < 2 || i >= nz - 2 || j < 2 || j >= nx - 2)
        return;
    double laplacian = 0.0;
    const double c[3] = {-2.5, 4.0 / 3.0, -1.0 / 12.0};
    laplacian += 2.0 * c[0] * now[IDX(i, j)];
    for (int r = 1; r <= 2; r++)
        laplacian += c[r] * (now[IDX(i - r, j)] + now[IDX(i + r, j)] + now[IDX(i, j - r)] + now[IDX(i, j + r)]);
    double courant = velocity[IDX(i, j)] * dt;
    next[IDX(i, j)] = 2.0 * now[IDX(i, j)] - before[IDX(i, j)] + courant * courant * laplacian;
}

__global__ void inject(double *p, const double *velocity, double amplitude, int at, double dt)
{
    p[at] += dt * dt * velocity[at] * amplitude;
}

__global__ void damp(double *p, double *q, int nz, int nx)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= nz || j >= nx)
        return;
    int edge = min(min(i, nz - 1 - i), min(j, nx - 1 - j));
    if (edge < 4) {
        double w = 0.05 * (4 - edge);
        p[IDX(i, j)] *= exp(-w * w);
        q[IDX(i, j)] *= exp(-w * w);
    }
}

__global__ void record(double *trace, const double *p, const int *receivers, int count, int nx)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < count)
        trace[r] = p[IDX(3, receivers[r])];
}

double misfit(const double *velocity, const double *wavelet, const double *observed, const int *receivers, int nz,
              int nx, int steps, int count, int source, double dt)
{
    size_t field = (size_t)nz * nx * sizeof(double);
    size_t traces = (size_t)steps * count * sizeof(double);
    double *d_velocity, *d_before, *d_now, *d_next, *d_traces;
    int *d_receivers;
    cudaMalloc((void **)&d_velocity, field);
    cudaMalloc((void **)&d_before, field);
    cudaMalloc((void **)&d_now, field);
    cudaMalloc((void **)&d_next, field);
    cudaMalloc((void **)&d_traces, traces);
    cudaMalloc((void **)&d_receivers, count * sizeof(int));
    cudaMemcpy(d_velocity, velocity, field, cudaMemcpyHostToDevice);
    cudaMemcpy(d_receivers, receivers, count * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(d_before, 0, field);
    cudaMemset(d_now, 0, field);
    cudaMemset(d_next, 0, field);

    dim3 block(8, 4), grid((nx + 7) / 8, (nz + 3) / 4);
    for (int t = 0; t < steps; t++) {
        propagate<<<grid, block>>>(d_next, d_now, d_before, d_velocity, nz, nx, dt);
        inject<<<1, 1>>>(d_next, d_velocity, wavelet[t], source, dt);
        damp<<<grid, block>>>(d_next, d_now, nz, nx);
        record<<<1, 32>>>(d_traces + t * count, d_next, d_receivers, count, nx);
        double *oldest = d_before;
        d_before = d_now;
        d_now = d_next;
        d_next = oldest;
    }

    double *simulated = (double *)malloc(traces);
    cudaMemcpy(simulated, d_traces, traces, cudaMemcpyDeviceToHost);
    double sum = 0.0;
    for (int k = 0; k < steps * count; k++) {
        double difference = simulated[k] - observed[k];
        sum += 0.5 * difference * difference;
    }
    free(simulated);
    cudaFree(d_velocity);
    cudaFree(d_before);
    cudaFree(d_now);
    cudaFree(d_next);
    cudaFree(d_traces);
    cudaFree(d_receivers);
    return sum;
}
