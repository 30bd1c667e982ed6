/*---
function = "run"
wrt = ["x", "dt"]
of = ["x"]
memory_limit = 2800
[inputs]
x = { shape = [24], random = 1 }
dt = 0.05
n = 24
steps = 12

[[cases]]
name = "on_the_stack"

[[cases]]
name = "on_the_heap"
function = "run_on_heap"

[[cases]]
name = "exchanged"
function = "run_pair"
memory_limit = 3600

[[cases]]
name = "everything"
function = "run_pair"
memory_limit = "1MB"
---*/
// The usual struct of a simulation under a memory limit: pointers that are swapped beside numbers that change.
#include <stdlib.h>
typedef struct { double *u, *v; double dt, time, energy; int n, step; } Sim;
typedef struct { Sim *now, *other; double **fields; } Pair;

__global__ void advance(double *v, const double *u, double dt, double time, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] = u[i] + dt * (u[(i + 1) % n] - u[i]) * u[i] - dt * time * u[i];
}

static void create(Sim *s, const double *x, double dt, int n)
{
    s->dt = dt;
    s->time = s->energy = 0;
    s->n = n;
    s->step = 0;
    cudaMalloc((void **)&s->u, n * sizeof(double));
    cudaMalloc((void **)&s->v, n * sizeof(double));
    cudaMemcpy(s->u, x, n * sizeof(double), cudaMemcpyHostToDevice);
}

static void step(Sim *s)
{
    advance<<<(s->n + 7) / 8, 8>>>(s->v, s->u, s->dt, s->time, s->n);
    double *w = s->u;
    s->u = s->v;
    s->v = w;
    s->time += s->dt;
    if (++s->step % 4 == 0) {
        double e;
        cudaMemcpy(&e, s->u, sizeof e, cudaMemcpyDeviceToHost);
        s->energy += e * e;
        s->dt *= 0.9 + 0.01 * e;
    }
}

static void finish(Sim *s, double *x)
{
    cudaMemcpy(x, s->u, s->n * sizeof(double), cudaMemcpyDeviceToHost);
    x[0] += s->energy * s->time;
    cudaFree(s->u);
    cudaFree(s->v);
}

void run(double *x, double dt, int n, int steps)
{
    Sim s;
    create(&s, x, dt, n);
    for (int t = 0; t < steps; t++)
        step(&s);
    finish(&s, x);
}

void run_on_heap(double *x, double dt, int n, int steps)
{
    Sim *s = (Sim *)malloc(sizeof *s);
    create(s, x, dt, n);
    for (int t = 0; t < steps; t++)
        step(s);
    finish(s, x);
    free(s);
}

void run_pair(double *x, double dt, int n, int steps)
{
    Sim a, b;
    Pair *p = (Pair *)malloc(sizeof(Pair));
    create(&a, x, dt, n / 2);
    create(&b, x + n / 2, 2 * dt, n / 2);
    p->now = &a;
    p->other = &b;
    p->fields = (double **)malloc(2 * sizeof(double *));
    p->fields[0] = a.u;
    p->fields[1] = b.u;
    for (int t = 0; t < steps; t++) {
        step(p->now);
        if (t % 3 == 0)
            advance<<<2, 8>>>(p->fields[0], p->fields[1], 0.1, 0.1, n / 2);
        if (t % 3 == 1) {
            Sim *s = p->now;
            p->now = p->other;
            p->other = s;
            double *f = p->fields[0];
            p->fields[0] = p->fields[1];
            p->fields[1] = f;
        }
    }
    finish(&a, x);
    finish(&b, x + n / 2);
    free(p->fields);
    free(p);
}
