/*---
function = "run"
wrt = ["x", "k"]
of = ["y"]
[inputs]
y = { zeros = [21] }
x = { shape = [21], random = 1 }
k = 0.7
n = 21
---*/
// Structs of numbers beside pointers, cleared and copied as bytes: whole ones, parts, arrays of them, on the heap too.
#include <string.h>
#include <stdlib.h>

typedef struct {
    double *u, *r;
    double weight;
    int n;
} Level;

typedef struct {
    Level level[3];
    Level *finest;
    double scale;
} Grid;

__global__ void smooth(Level to, Level from)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < to.n)
        to.u[i] = to.weight * from.u[i] * from.u[i] + from.r[i];
}

static void clear(Level *l, double weight)
{
    memset(l, 0, sizeof(*l));
    l->weight = weight;
}

void run(double *y, const double *x, double k, int n)
{
    Grid g;
    Level spare;
    memset(&g, 0, sizeof(Grid));
    memset(&g.level, 0, sizeof g.level);
    memset(g.level, 0, 3 * sizeof(Level));
    Level *more = (Level *)malloc(2 * sizeof(Level));
    memset(more, 0, 2 * sizeof *more);
    g.scale = k;
    for (int i = 0; i < 3; i++) {
        Level *l = &g.level[i];
        clear(l, g.scale * (i + 1));
        l->n = n - i;
        cudaMalloc((void **)&l->u, n * sizeof(double));
        cudaMalloc((void **)&l->r, n * sizeof(double));
        cudaMemset(l->r, 0, n * sizeof(double));
        cudaMemset(l->u, 0, n * sizeof(double));
    }
    cudaMemcpy(g.level[0].u, x, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(g.level[1].r, x, n * sizeof(double), cudaMemcpyHostToDevice);
    smooth<<<3, 8>>>(g.level[1], g.level[0]);
    memcpy(&spare, &g.level[1], sizeof spare);
    spare.weight *= spare.weight;
    memcpy(more, g.level, 2 * sizeof(Level));
    memmove(&g.level[1], &g.level[2], sizeof(Level));
    smooth<<<3, 8>>>(g.level[1], more[1]);
    smooth<<<3, 8>>>(spare, g.level[1]);
    cudaMemcpy(y, spare.u, n * sizeof(double), cudaMemcpyDeviceToHost);
    memset(&g.level[2], 0, sizeof(Level));
    cudaFree(more[0].u), cudaFree(more[1].u), cudaFree(g.level[1].u);
    cudaFree(more[0].r), cudaFree(more[1].r), cudaFree(g.level[1].r);
    memset(more, 0, 2 * sizeof(Level));
    free(more);
}
