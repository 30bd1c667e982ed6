/*---
wrt = ["x", "dt"]

[[cases]]
name = "once"
function = "advance"
of = ["x"]
inputs = { x = { shape = [45], random = 1 }, dt = 0.1, n = 45 }

[[cases]]
name = "in_a_loop"
function = "march"
of = ["x"]
inputs = { x = { shape = [45], random = 1 }, dt = 0.1, n = 45, steps = 3 }

[[cases]]
name = "no_steps"
function = "march"
of = ["x"]
inputs = { x = { shape = [45], random = 1 }, dt = 0.1, n = 45, steps = 0 }

[[cases]]
name = "of_everything"
function = "relax"
wrt = ["x", "dt", "c"]
of = ["x", "y"]
inputs = { x = { shape = [45], random = 1 }, y = { shape = [45], random = 2 }, c = { values = [0.3, -0.7, 1.1] }, dt = 0.3, n = 45 }

[[cases]]
name = "local_structs"
function = "gather"
wrt = ["x", "dt"]
of = ["x", "y"]
inputs = { x = { shape = [45], random = 1 }, y = { shape = [45], random = 2 }, dt = 0.3, n = 45 }

[[cases]]
name = "elements"
function = "by_element"
wrt = ["x", "dt"]
of = ["x"]
inputs = { x = { shape = [45], random = 1 }, dt = 0.3, n = 45 }

[[cases]]
name = "returned"
function = "energy"
inputs = { x = { shape = [45], random_uniform = 4, low = -0.5, high = 0.5 }, dt = 0.1, n = 45 }
---*/
// Structs by value whose numbers are active as well as what their pointers point to.
#include <stdlib.h>
typedef struct { double dt; double *x; int n; } Line;

__device__ double rate(const Line *g, int i) { return g->dt * sin(g->x[i]); }

__global__ void step(Line g)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < g.n)
        g.x[i] += g.dt * g.x[i] * g.x[i] + rate(&g, i);
}

void advance(double *x, double dt, int n)
{
    Line g;
    g.dt = dt;
    g.x = x;
    g.n = n;
    step<<<(n + 15) / 16, 16>>>(g);
}

void march(double *x, double dt, int n, int steps)
{
    Line g = {dt * dt, x, n};
    for (int s = 0; s < steps; s++) {
        step<<<(n + 15) / 16, 16>>>(g);
        g.dt = g.dt * 0.9 + 0.01 * s * dt;
        if (s == 1) {
            Line half = g;
            half.n = n / 2;
            step<<<(n + 15) / 16, 16>>>(half);
        }
    }
}

// Nested, with an array of numbers that is indexed at run time, copied whole, and overwritten in the kernel.
typedef struct { double c[3]; double scale; } Coefficients;
typedef struct { Coefficients k; double *in, *out; int n; float unused; } Work;

__device__ double value(Work w, int i)
{
    w.k.scale *= w.in[i];
    return w.k.scale * w.k.c[i % 3];
}

__global__ void mix(Work w, double *extra)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= w.n)
        return;
    Work other = w;
    other.k.c[i % 3] = w.k.c[(i + 1) % 3] * other.in[i];
    w.out[i] = value(w, i) + value(other, i) * w.k.c[0];
    extra[i] = extra[i] * w.k.scale;
}

void relax(double *x, double *y, const double *c, double dt, int n)
{
    double *out;
    cudaMalloc(&out, n * sizeof(double));
    Work w;
    for (int i = 0; i < 3; i++)
        w.k.c[i] = c[i] * dt;
    w.k.scale = 1 + dt;
    w.in = x;
    w.out = out;
    w.n = n;
    w.unused = 1;
    mix<<<(n + 7) / 8, 8>>>(w, y);
    w.in = out;
    w.out = x;
    w.k.scale *= dt;
    mix<<<(n + 7) / 8, 8>>>(w, y);
    cudaFree(out);
}

// Behind a pointer on the host, and filled by a function.
void fill(Line *g, const double *x, double dt, int n)
{
    g->dt = dt;
    g->n = n;
    cudaMalloc((void **)&g->x, n * sizeof(double));
    cudaMemcpy(g->x, x, n * sizeof(double), cudaMemcpyHostToDevice);
}

double energy(const double *x, double dt, int n)
{
    Line *lines = (Line *)malloc(2 * sizeof(Line));
    fill(&lines[0], x, dt, n);
    fill(&lines[1], x, 2 * dt, n);
    double *h = (double *)malloc(n * sizeof(double));
    double sum = 0;
    for (int l = 0; l < 2; l++) {
        step<<<(n + 15) / 16, 16>>>(lines[l]);
        cudaMemcpy(h, lines[l].x, n * sizeof(double), cudaMemcpyDeviceToHost);
        for (int i = 0; i < n; i++)
            sum += h[i] * h[i] * (l + 1);
        cudaFree(lines[l].x);
    }
    free(h);
    free(lines);
    return sum;
}

// Local structs of both kinds: in branches, in loops of unknown length, in arrays, and changed by a callee as its own.
typedef struct { double weight; double *to; const double *from; } Move;

__device__ double apply(Move m, int i)
{
    m.weight = m.weight * m.from[i] + 0.1;
    return m.weight;
}

__device__ void doubled(double *w) { *w = *w * 2; }

__device__ double aside(Move m, int i)
{
    doubled(&m.weight);
    return m.weight * m.from[i];
}

__global__ void gather_kernel(Move all, double *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double sum = 0;
    for (int k = 0; k < i % 4; k++) {
        Move m = all;
        m.weight *= 1 + 0.1 * k;
        if (k % 2) {
            Move other = {m.weight * m.weight, all.to, y};
            sum += apply(other, i) * other.weight + aside(other, i);
        }
        Move pair[2] = {m, all};
        pair[k % 2].weight += sum;
        sum += apply(m, i) * m.weight + pair[0].weight * pair[1].from[i] * aside(pair[1], i);
    }
    all.to[i] += sum * all.weight;
}

void gather(double *x, double *y, double dt, int n)
{
    Move all = {dt, x, y};
    gather_kernel<<<(n + 7) / 8, 8>>>(all, y, n);
    all.weight = dt * dt;
    all.to = y;
    all.from = x;
    gather_kernel<<<(n + 7) / 8, 8>>>(all, x, n);
}

// Elements of an array, and a member: no variables of their own.
typedef struct { double a, b; } Pair;
typedef struct { Pair pair; int k; } Holder;

__device__ Pair swapped(Pair p)
{
    Pair q = {p.b, p.a};
    return q;
}

__global__ void affine(double *x, Pair p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Pair q = swapped(p);
        x[i] = p.a * x[i] * x[i] + q.a;
    }
}

void by_element(double *x, double dt, int n)
{
    Pair pairs[3];
    Holder h;
    h.pair.a = dt * dt;
    h.pair.b = 0.2;
    for (int k = 0; k < 3; k++) {
        pairs[k].a = dt * (k + 1);
        pairs[k].b = sin(dt * k);
    }
    for (int k = 0; k < 3; k++)
        affine<<<(n + 7) / 8, 8>>>(x, pairs[k], n);
    affine<<<(n + 7) / 8, 8>>>(x, h.pair, n);
    affine<<<(n + 7) / 8, 8>>>(x, pairs[1], n);
}
