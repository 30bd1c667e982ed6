/*---
function = "run"
wrt = ["x", "dt"]
[inputs]
x = { shape = [45], random_uniform = 1, low = -0.5, high = 0.5 }
n = 45
dt = 0.1
steps = 5

[[cases]]
name = "on_the_stack"

[[cases]]
name = "on_the_heap"
function = "run_heap"

[[cases]]
name = "no_steps"
inputs = { steps = 0 }
---*/
// A struct that owns device pointers: filled in one function, its pointers swapped in another, freed in a third.
#include <stdlib.h>
typedef struct { double *u; double *v; int n; double dt; } Grid;
__global__ void step(double *v, const double *u, double dt, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { double l = i > 0 ? u[i-1] : 0.0, r = i < n-1 ? u[i+1] : 0.0; v[i] = u[i] + dt * (l - 2.0*u[i] + r) - dt * u[i]*u[i]; }
}
void make(Grid *g, const double *x, int n, double dt) {
  g->n = n; g->dt = dt;
  cudaMalloc((void **)&g->u, n * sizeof(double));
  cudaMalloc((void **)&g->v, n * sizeof(double));
  cudaMemcpy(g->u, x, n * sizeof(double), cudaMemcpyHostToDevice);
}
void advance(Grid *g) {
  step<<<(g->n + 31) / 32, 32>>>(g->v, g->u, g->dt, g->n);
  double *t = g->u; g->u = g->v; g->v = t;
}
void destroy(Grid *g) { cudaFree(g->u); cudaFree(g->v); }
double run(const double *x, int n, double dt, int steps) {
  Grid g;
  make(&g, x, n, dt);
  for (int s = 0; s < steps; ++s) { advance(&g); if (s == 2) g.dt *= 0.5; }
  double *h = (double *)malloc(n * sizeof(double));
  cudaMemcpy(h, g.u, n * sizeof(double), cudaMemcpyDeviceToHost);
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += h[i] * h[i];
  free(h); destroy(&g);
  return sum;
}
double run_heap(const double *x, int n, double dt, int steps) {
  Grid *g = (Grid *)malloc(sizeof(Grid));
  make(g, x, n, dt);
  for (int s = 0; s < steps; ++s) advance(g);
  double *h = (double *)malloc(n * sizeof(double));
  cudaMemcpy(h, g->u, n * sizeof(double), cudaMemcpyDeviceToHost);
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += h[i] * h[i];
  free(h); destroy(g); free(g);
  return sum;
}
