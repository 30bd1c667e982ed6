/*---
function = "antenna"
wrt = ["epsilon", "amplitude"]
[inputs]
epsilon = { shape = [11, 9], random_uniform = 1, low = 1.0, high = 2.5 }
amplitude = 1.3
steps = 12
---*/
// FDTD for Maxwell's equations (TMz) with a lossy layer: fields in a struct of structs that main and its helpers pass
// around by pointer, sizes as file-scope constants, the objective accumulated on the device at a probe.
#include <math.h>
#include <stdlib.h>

const int NX = 11;
const int NY = 9;
#define COURANT 0.5

typedef struct {
    double *x, *y;
} Magnetic;

typedef struct {
    double *ez, *epsilon, *sigma;
    Magnetic h;
    dim3 grid, block;
} Simulation;

__global__ void update_h(double *hx, double *hy, const double *ez)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= NX || j >= NY)
        return;
    int k = i * NY + j;
    if (j < NY - 1)
        hx[k] -= COURANT * (ez[k + 1] - ez[k]);
    if (i < NX - 1)
        hy[k] += COURANT * (ez[k + NY] - ez[k]);
}

__global__ void update_e(double *ez, const double *hx, const double *hy, const double *epsilon, const double *sigma)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < 1 || j < 1 || i >= NX || j >= NY)
        return;
    int k = i * NY + j;
    double loss = 0.5 * sigma[k] / epsilon[k];
    double curl = hy[k] - hy[k - NY] - hx[k] + hx[k - 1];
    ez[k] = ((1.0 - loss) * ez[k] + COURANT / epsilon[k] * curl) / (1.0 + loss);
}

__global__ void absorbing_layer(double *sigma)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < NX * NY) {
        int i = k / NY, j = k % NY, d = min(min(i, NX - 1 - i), min(j, NY - 1 - j));
        sigma[k] = d < 3 ? 0.2 * (3 - d) * (3 - d) : 0.0;
    }
}

__global__ void probe(double *sum, const double *ez, int at)
{
    *sum += ez[at] * ez[at];
}

static void zeros(double **p)
{
    cudaMalloc((void **)p, NX * NY * sizeof(double));
    cudaMemset(*p, 0, NX * NY * sizeof(double));
}

void setup(Simulation *s, const double *epsilon)
{
    zeros(&s->ez);
    zeros(&s->h.x);
    zeros(&s->h.y);
    zeros(&s->epsilon);
    zeros(&s->sigma);
    cudaMemcpy(s->epsilon, epsilon, NX * NY * sizeof(double), cudaMemcpyHostToDevice);
    absorbing_layer<<<(NX * NY + 31) / 32, 32>>>(s->sigma);
    s->block = dim3(4, 4);
    s->grid = dim3((NY + 3) / 4, (NX + 3) / 4);
}

void advance(Simulation *s)
{
    update_h<<<s->grid, s->block>>>(s->h.x, s->h.y, s->ez);
    update_e<<<s->grid, s->block>>>(s->ez, s->h.x, s->h.y, s->epsilon, s->sigma);
}

__global__ void drive(double *ez, int at, double value)
{
    ez[at] += value;
}

void release(Simulation *s)
{
    cudaFree(s->ez);
    cudaFree(s->h.x);
    cudaFree(s->h.y);
    cudaFree(s->epsilon);
    cudaFree(s->sigma);
    free(s);
}

double antenna(const double *epsilon, double amplitude, int steps)
{
    Simulation *s = (Simulation *)malloc(sizeof(Simulation));
    setup(s, epsilon);
    double *sum, result;
    cudaMalloc((void **)&sum, sizeof(double));
    cudaMemset(sum, 0, sizeof(double));
    for (int t = 0; t < steps; t++) {
        advance(s);
        drive<<<1, 1>>>(s->ez, 5 * NY + 3, amplitude * sin(0.7 * t));
        probe<<<1, 1>>>(sum, s->ez, 4 * NY + 6);
    }
    cudaMemcpy(&result, sum, sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(sum);
    release(s);
    return result;
}
