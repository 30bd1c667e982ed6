/*---
function = "run"
wrt = ["u", "tau"]
of = ["u"]
[inputs]
u = { shape = [22], random = 1 }
tau = 1.3
n = 22
steps = 3
[[cases]]
name = "solver"
[[cases]]
name = "swept"
function = "swept"
[[cases]]
name = "parts"
function = "parts"
---*/
// A struct of an active number, arrays that a walking pointer fills, and a mask of bytes; directions by value from a
// list; memory that a function hands out through `void **`.
#include <stdlib.h>

struct solver {
    double rate;
    double *field[2];
    unsigned char *mask;
    int n;
};

__global__ void relax(double *to, const double *from, const unsigned char *mask, double rate, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = mask[i] ? from[i] : from[i] - rate * from[i] * from[(i + 1) % n];
}

static void start(struct solver *s, double tau, int n)
{
    unsigned char *mask = (unsigned char *)malloc(n);
    double **end = s->field + 2;
    s->rate = 1.0 / tau;
    s->n = n;
    for (double **p = s->field; p != end; ++p)
        cudaMalloc(p, n * sizeof(double));
    for (int i = 0; i < n; i++)
        mask[i] = i % 5 == 1;
    cudaMalloc(&s->mask, n);
    cudaMemcpy(s->mask, mask, n, cudaMemcpyHostToDevice);
    free(mask);
}

static void turn(struct solver *s)
{
    double *old = s->field[0];
    relax<<<(s->n + 7) / 8, 8>>>(s->field[1], s->field[0], s->mask, s->rate, s->n);
    s->field[0] = s->field[1];
    s->field[1] = old;
}

void run(double *u, double tau, int n, int steps)
{
    struct solver s;
    start(&s, tau, n);
    cudaMemcpy(s.field[0], u, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; t++)
        turn(&s);
    cudaMemcpy(u, s.field[0], n * sizeof(double), cudaMemcpyDeviceToHost);
    for (double **p = s.field; p != s.field + 2; ++p)
        cudaFree(*p);
    cudaFree(s.mask);
}

struct direction {
    double weight;
    int step;
};

__global__ void along(double *to, const double *from, struct direction d, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] += d.weight * from[i] * from[(i + d.step) % n];
}

void swept(double *u, double tau, int n, int steps)
{
    struct direction list[3] = {{0.5, 1}, {-0.25, 3}, {0.125, 5}};
    double *a, *b;
    list[1].weight *= tau;
    cudaMalloc(&a, n * sizeof(double));
    cudaMalloc(&b, n * sizeof(double));
    cudaMemcpy(a, u, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemset(b, 0, n * sizeof(double));
    for (int t = 0; t < steps; t++)
        along<<<(n + 7) / 8, 8>>>(b, a, list[t % 3], n);
    cudaMemcpy(u, b, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
}

static int take(double *base, size_t *used, void **out, size_t count, size_t room)
{
    if (*used + count > room)
        return -1;
    *out = base + *used;
    *used += count;
    return 0;
}

void parts(double *u, double tau, int n, int steps)
{
    double *room, *a, *b;
    size_t used = 0, size = (2 + steps) * (size_t)n;
    cudaMalloc((void **)&room, size * sizeof(double));
    if (take(room, &used, (void **)&a, n, size))
        return;
    cudaMemcpy(a, u, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; t++) {
        struct direction d = {tau, t};
        if (take(room, &used, (void **)&b, n, size))
            break;
        cudaMemcpy(b, u, n * sizeof(double), cudaMemcpyHostToDevice);
        along<<<(n + 7) / 8, 8>>>(b, a, d, n);
        a = b;
    }
    cudaMemcpy(u, a, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(room);
}
