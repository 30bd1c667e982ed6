/*---
function = "run"
wrt = ["x", "y", "a"]
of = ["y"]
memory_limit = 14000
[inputs]
x = { shape = [37], random_uniform = 1, low = 0.5, high = 1.5 }
y = { shape = [37], random_uniform = 2, low = -1.0, high = 1.0 }
a = 0.7
n = 37
[[cases]]
name = "one"
inputs = { steps = 1 }
memory_limit = 14000
[[cases]]
name = "some"
inputs = { steps = 9 }
[[cases]]
name = "everything"
inputs = { steps = 9 }
memory_limit = "1MB"
---*/
// A solver behind a handle, made and ended in each round: its buffers have changed places since a step was saved.
#include <stdlib.h>

__global__ void wave(double *w, const double *x, double a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        w[i] = a * cos(x[i]) + 0.3 * sin(a);
}

__global__ void add(double *y, const double *w, double a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 0.7 * sin(y[i]) + a * w[i] * w[(i + 1) % n];
}

typedef struct {
    int n, length;
    double *now, *next, *trace;
    double dt;
} Solver;

static Solver *create(int n, double dt)
{
    Solver *s = (Solver *)malloc(sizeof *s);
    s->n = n;
    s->length = 0;
    s->dt = dt;
    cudaMalloc((void **)&s->now, n * sizeof(double));
    cudaMalloc((void **)&s->next, n * sizeof(double));
    s->trace = (double *)calloc(16, sizeof(double));
    return s;
}

static void step(Solver *s)
{
    wave<<<(s->n + 7) / 8, 8>>>(s->next, s->now, s->dt + 0.5, s->n);
    double *t = s->now;
    s->now = s->next;
    s->next = t;
    cudaMemcpy(s->trace + s->length, s->now + s->length % s->n, sizeof(double), cudaMemcpyDeviceToHost);
    s->length++;
}

static void destroy(Solver **s)
{
    if (!s || !*s)
        return;
    cudaFree((*s)->now);
    cudaFree((*s)->next);
    free((*s)->trace);
    free(*s);
    *s = NULL;
}

void run(double *y, const double *x, double a, int n, int steps)
{
    for (int round = 0; round < 2; round++) {
        Solver *s = create(n, a);
        cudaMemcpy(s->now, x, n * sizeof(double), cudaMemcpyDeviceToDevice);
        for (int k = 0; k < steps; k++)
            step(s);
        double sum = 0;
        for (int k = 0; k < s->length; k++)
            sum += s->trace[k] * s->trace[k];
        add<<<(n + 7) / 8, 8>>>(y, s->now, a + 0.01 * sum, n);
        destroy(&s);
    }
}
