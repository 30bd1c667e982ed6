/*---
function = "simulate"
wrt = ["x0", "k"]
[inputs]
x0 = { shape = [16], random_uniform = 1, low = 0.3, high = 0.9 }
k = 1.4
n = 16
steps = 9
---*/
// A chain of springs: structs that own device pointers, made and dropped by functions; the step changes half-way.
#include <stdlib.h>
typedef struct {
    double *x, *v, *f;
    int n;
    double time, energy;
} Sim;
typedef struct {
    Sim *sim;
    double *probe;
    int stride;
} Run;
__global__ void force(double *f, const double *x, double k, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double l = i ? x[i - 1] : 0.5, r = i + 1 < n ? x[i + 1] : 0.5;
        double a = r - x[i], b = x[i] - l;
        f[i] = k * (a - b) + 0.3 * (a * a - b * b);
    }
}

__global__ void kick(double *v, const double *f, double h, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] += h * f[i];
}

__global__ void drift(double *x, const double *v, double h, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += h * v[i];
}

__global__ void probe(double *out, const double *x, int at, int to)
{
    if (!threadIdx.x)
        out[to] = x[at] * x[at];
}

static Sim *create(const double *x0, int n)
{
    Sim *s = (Sim *)malloc(sizeof(Sim));
    s->n = n;
    s->time = 0;
    s->energy = 0;
    cudaMalloc((void **)&s->x, n * sizeof(double));
    cudaMalloc((void **)&s->v, n * sizeof(double));
    cudaMalloc((void **)&s->f, n * sizeof(double));
    cudaMemcpy(s->x, x0, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemset(s->v, 0, n * sizeof(double));
    return s;
}

static void destroy(Sim **s)
{
    cudaFree((*s)->x);
    cudaFree((*s)->v);
    cudaFree((*s)->f);
    free(*s);
    *s = NULL;
}

static void step(Run *r, double k, double h)
{
    Sim *s = r->sim;
    int b = (s->n + 7) / 8;
    force<<<b, 8>>>(s->f, s->x, k, s->n);
    kick<<<b, 8>>>(s->v, s->f, 0.5 * h, s->n);
    drift<<<b, 8>>>(s->x, s->v, h, s->n);
    force<<<b, 8>>>(s->f, s->x, k, s->n);
    kick<<<b, 8>>>(s->v, s->f, 0.5 * h, s->n);
    s->time += h;
}

double simulate(const double *x0, double k, int n, int steps)
{
    Run r;
    r.sim = create(x0, n);
    r.stride = 2;
    cudaMalloc((void **)&r.probe, steps * sizeof(double));
    double h = 0.1;
    for (int t = 0; t < steps; t++) {
        step(&r, k, h);
        if (t % r.stride == 0)
            probe<<<1, 32>>>(r.probe, r.sim->x, n / 3, t / r.stride);
        if (t == 4) {
            double e;
            cudaMemcpy(&e, r.sim->x + 2, sizeof e, cudaMemcpyDeviceToHost);
            r.sim->energy += e * e;
            h *= 0.8 + 0.1 * e;
        }
    }
    double *p = (double *)malloc(steps * sizeof(double)), total = r.sim->energy * r.sim->time;
    cudaMemcpy(p, r.probe, (steps + 1) / 2 * sizeof(double), cudaMemcpyDeviceToHost);
    for (int i = 0; i < (steps + 1) / 2; i++)
        total += p[i] * (i + 1);
    free(p);
    cudaFree(r.probe);
    destroy(&r.sim);
    return total;
}
