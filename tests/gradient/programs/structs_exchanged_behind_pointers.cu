/*---
function = "run"
wrt = ["u", "material"]
[inputs]
u = { shape = [2, 10], random = 1 }
material = { shape = [3], random_uniform = 2, low = 0.3, high = 0.9 }
n = 10
steps = 5
---*/
// A struct of numbers and of pointers to other structs, which change places while the program runs.
#include <stdlib.h>
struct Material { double k, rho, c; };
struct Grid { double *u, *w; int n; };
struct Sim { struct Grid *grid, *spare; struct Material material; double time; };

__global__ void relax(double *w, const double *u, double k, double rho, int n)
{
    int i = threadIdx.x;
    if (i < n)
        w[i] = u[i] + k * (u[i ? i - 1 : 0] - u[i]) * u[i] / rho;
}

static struct Grid *create(const double *u, int n)
{
    struct Grid *g = (struct Grid *)malloc(sizeof *g);
    g->n = n;
    cudaMalloc((void **)&g->u, n * sizeof(double));
    cudaMalloc((void **)&g->w, n * sizeof(double));
    cudaMemcpy(g->u, u, n * sizeof(double), cudaMemcpyHostToDevice);
    return g;
}

static void destroy(struct Grid *g)
{
    cudaFree(g->u);
    cudaFree(g->w);
    free(g);
}

static void step(struct Sim *s, double dt)
{
    struct Grid *g = s->grid;
    relax<<<1, 16>>>(g->w, g->u, s->material.k * dt, s->material.rho, g->n);
    double *t = g->u;
    g->u = g->w;
    g->w = t;
    s->time += dt * s->material.c;
    s->grid = s->spare;
    s->spare = g;
}

static double measure(const struct Grid *g)
{
    double h[10], sum = 0;
    cudaMemcpy(h, g->u, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 10; i++)
        sum += h[i] * h[i];
    return sum;
}

double run(const double *u, const double *material, int n, int steps)
{
    struct Sim *s = (struct Sim *)malloc(sizeof *s);
    s->grid = create(u, n);
    s->spare = create(u + n, n);
    s->material.k = material[0];
    s->material.rho = material[1];
    s->material.c = material[2];
    s->time = 0;
    for (int i = 0; i < steps; i++) {
        step(s, 0.1 + 0.01 * i);
        if (i == 2)
            s->material.k *= 1 + 0.1 * measure(s->grid);
    }
    double r = measure(s->grid) + 0.5 * measure(s->spare) + s->time;
    destroy(s->grid);
    destroy(s->spare);
    free(s);
    return r;
}
