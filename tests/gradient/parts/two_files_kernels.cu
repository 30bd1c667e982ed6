// The device's part: its own `scale`, its own `Local`, its own `LIMIT`.
#include "two_files.h"
#define LIMIT 2

struct Local {
    double a;
};

__constant__ double table[POINTS] = {0.5, 1.0, 0.25};
static __constant__ double bias = 0.125;
static int launches = 0;
double relaxation = 0.75;
int calls;

static __device__ double scale(double x) { return LIMIT * squared(x); }

__global__ void smooth(double *out, const double *in, Grid g, Stencil s)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < g.nx * g.ny) {
        Local l = {bias};
        for (int p = 0; p < POINTS; ++p) l.a += s.weight[p] * table[p] * scale(in[at(g, i / g.ny, (i + p) % g.ny)]);
        out[i] = l.a;
    }
}

static void count(void) { ++launches; calls += launches; }

void advance(double *out, const double *in, Grid g, double mix)
{
    Stencil s = {{1.0, mix, mix * mix}};
    count();
    smooth<<<(g.nx * g.ny + 31) / 32, 32>>>(out, in, g, s);
}
