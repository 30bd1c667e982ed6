/*---
function = "run"
wrt = ["rho0", "gamma"]
of = ["rho"]
[inputs]
rho = { zeros = [25] }
rho0 = { shape = [25], random_uniform = 1, low = 0.5, high = 1.5 }
gamma = 1.3
n = 25
steps = 4
---*/
// An old-fashioned solver: grid, buffers and parameters are variables at file scope that init, step and finish share;
// device constants are set between launches, a device variable counts, a static function prints now and then.
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int n;
    double dx;
} Mesh;

static Mesh mesh;
static double *d_rho = NULL, *d_next = NULL, *d_flux = NULL;
static double time_now = 0.0;
static double speeds[3];
int step_count = 0;

__constant__ double d_gamma;
__constant__ double d_weights[3];
__device__ int d_calls;
__device__ double d_mass;

__global__ void fluxes(double *flux, const double *rho, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double here = rho[i], left = rho[(i + n - 1) % n], right = rho[(i + 1) % n];
        flux[i] = d_weights[0] * left + d_weights[1] * pow(here, d_gamma) + d_weights[2] * right;
    }
    if (i == 0)
        d_calls++;
}

__global__ void advance(double *next, const double *rho, const double *flux, double r, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        next[i] = rho[i] - r * (flux[i] - flux[(i + n - 1) % n]);
        atomicAdd(&d_mass, next[i]);
    }
}

__global__ void rescale(double *rho, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        rho[i] *= n / d_mass;
}

static void report(const char *what)
{
    if (step_count > 1000)
        printf("%s: step %d, time %g\n", what, step_count, time_now);
}

void init(const double *rho0, int n, double gamma)
{
    mesh.n = n;
    mesh.dx = 1.0 / n;
    time_now = 0.0;
    step_count = 0;
    cudaMalloc((void **)&d_rho, n * sizeof(double));
    cudaMalloc((void **)&d_next, n * sizeof(double));
    cudaMalloc((void **)&d_flux, n * sizeof(double));
    cudaMemcpy(d_rho, rho0, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(d_gamma, &gamma, sizeof(double));
    for (int k = 0; k < 3; k++)
        speeds[k] = 0.2 * (k + 1);
    report("init");
}

void step(void)
{
    double zero = 0.0, dt = 0.3 * mesh.dx / (1.0 + 0.1 * time_now);
    int blocks = (mesh.n + 7) / 8;
    speeds[step_count % 3] += 0.05;
    cudaMemcpyToSymbol(d_weights, speeds, sizeof(speeds));
    cudaMemcpyToSymbol(d_mass, &zero, sizeof zero);
    fluxes<<<blocks, 8>>>(d_flux, d_rho, mesh.n);
    advance<<<blocks, 8>>>(d_next, d_rho, d_flux, dt / mesh.dx, mesh.n);
    rescale<<<blocks, 8>>>(d_next, mesh.n);
    double *swap = d_rho;
    d_rho = d_next;
    d_next = swap;
    time_now += dt;
    ++step_count;
    report("step");
}

void finish(double *rho)
{
    cudaMemcpy(rho, d_rho, mesh.n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_rho);
    cudaFree(d_next);
    cudaFree(d_flux);
    d_rho = d_next = d_flux = NULL;
}

void run(double *rho, const double *rho0, double gamma, int n, int steps)
{
    int calls = 0;
    cudaMemcpyToSymbol(d_calls, &calls, sizeof(int));
    init(rho0, n, gamma);
    for (int t = 0; t < steps; t++)
        step();
    cudaMemcpyFromSymbol(&calls, d_calls, sizeof(int));
    if (calls != steps)
        exit(2);
    finish(rho);
}
