/*---
function = "vcycle"
wrt = ["rhs", "h0"]
inputs = { rhs = { shape = [32], random = 1 }, n = 32, h0 = 0.8, cycles = 2 }
---*/
// Multigrid with its levels in an array of structs in device memory, whose fields are arrays of device pointers.
#include <stdlib.h>
#define LEVELS 3
typedef struct { int n, stride; double h2inv; double *fields[3]; } level_type;
enum { U, F, R };
__global__ void smooth_kernel(level_type *levels, int l, double w, int color)
{
    level_type *level = levels + l;
    const double *__restrict__ rhs = level->fields[F];
    double *u = level->fields[U];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < level->n; i += gridDim.x * blockDim.x) {
        if ((i & 1) != color) continue;
        double left = i ? u[i - 1] : 0.0, right = i < level->n - 1 ? u[i + 1] : 0.0;
        u[i] = u[i] + w * ((rhs[i] + (left + right - 2 * u[i] - 0.1 * u[i] * u[i]) * level->h2inv) / (2 * level->h2inv));
    }
}
__global__ void residual_kernel(level_type *levels, int l)
{
    level_type level = levels[l];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < level.n) {
        double *u = level.fields[U];
        double left = i ? u[i - 1] : 0.0, right = i < level.n - 1 ? u[i + 1] : 0.0;
        level.fields[R][i] = level.fields[F][i] + (left + right - 2 * u[i]) * level.h2inv;
    }
}
__global__ void restrict_kernel(level_type *levels, int fine)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const level_type *f = &levels[fine], *c = &levels[fine + 1];
    if (i < c->n) {
        c->fields[F][i] = 0.5 * (f->fields[R][2 * i] + f->fields[R][2 * i + 1]);
        c->fields[U][i] = 0.0;
    }
}
__global__ void prolong_kernel(level_type *levels, int fine)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < levels[fine].n) levels[fine].fields[U][i] += levels[fine + 1].fields[U][i / 2];
}
double vcycle(const double *rhs, int n, double h0, int cycles)
{
    level_type h[LEVELS], *d;
    for (int l = 0; l < LEVELS; l++) {
        h[l].n = n >> l;
        h[l].h2inv = 1.0 / ((h0 * (1 << l)) * (h0 * (1 << l)));
        for (int k = 0; k < 3; k++) {
            cudaMalloc((void **)&h[l].fields[k], h[l].n * sizeof(double));
            cudaMemset(h[l].fields[k], 0, h[l].n * sizeof(double));
        }
    }
    cudaMemcpy(h[0].fields[F], rhs, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMalloc((void **)&d, sizeof(h));
    cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);
    for (int c = 0; c < cycles; c++) {
        for (int l = 0; l < LEVELS - 1; l++) {
            for (int s = 0; s < 2; s++) smooth_kernel<<<2, 8>>>(d, l, 0.7, s);
            residual_kernel<<<(h[l].n + 7) / 8, 8>>>(d, l);
            restrict_kernel<<<(h[l].n + 7) / 8, 8>>>(d, l);
        }
        for (int s = 0; s < 6; s++) smooth_kernel<<<1, 8>>>(d, LEVELS - 1, 0.9, s & 1);
        for (int l = LEVELS - 2; l >= 0; l--) {
            prolong_kernel<<<(h[l].n + 7) / 8, 8>>>(d, l);
            for (int s = 0; s < 2; s++) smooth_kernel<<<2, 8>>>(d, l, 0.7, s);
        }
    }
    double *u = (double *)malloc(n * sizeof(double)), sum = 0;
    cudaMemcpy(u, h[0].fields[U], n * sizeof(double), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) sum += u[i] * u[i];
    for (int l = 0; l < LEVELS; l++) for (int k = 0; k < 3; k++) cudaFree(h[l].fields[k]);
    cudaFree(d);
    free(u);
    return sum;
}
