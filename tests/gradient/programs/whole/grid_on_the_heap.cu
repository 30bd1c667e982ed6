/*---
function = "simulate"
wrt = ["u0", "c"]
[inputs]
u0 = { shape = [8, 9], random = 1 }
c = { shape = [8, 9], random_uniform = 2, low = 0.3, high = 0.9 }
ny = 8
nx = 9
steps = 4

[[cases]]
name = "steps"

[[cases]]
name = "bad_size"
inputs = { nx = 1 }
---*/
// A library's style: an opaque grid that one function allocates, others use and a last one frees; allocation through
// out-parameters with status codes; early returns; fields in a small array of structs inside the grid.
#include <stdlib.h>

enum { OK, BAD_SIZE, NO_MEMORY };

typedef struct {
    double *data;
    int ny, nx;
} Field;

typedef struct {
    Field u[2];
    Field *c;
    int current;
    double time;
} Grid;

static int allocate(double **p, size_t count)
{
    if (cudaMalloc((void **)p, count * sizeof(double)) != cudaSuccess)
        return NO_MEMORY;
    return OK;
}

static int make_field(Field *f, int ny, int nx, const double *values)
{
    if (ny < 3 || nx < 3)
        return BAD_SIZE;
    f->ny = ny;
    f->nx = nx;
    int status = allocate(&f->data, (size_t)ny * nx);
    if (status != OK)
        return status;
    if (values)
        cudaMemcpy(f->data, values, (size_t)ny * nx * sizeof(double), cudaMemcpyHostToDevice);
    else
        cudaMemset(f->data, 0, (size_t)ny * nx * sizeof(double));
    return OK;
}

int make_grid(Grid **result, const double *u0, const double *c, int ny, int nx)
{
    Grid *g = (Grid *)malloc(sizeof(Grid));
    g->c = (Field *)malloc(sizeof(Field));
    g->current = 0;
    g->time = 0.0;
    int status = make_field(g->c, ny, nx, c);
    if (status == OK)
        status = make_field(&g->u[0], ny, nx, u0);
    if (status == OK)
        status = make_field(&g->u[1], ny, nx, NULL);
    *result = g;
    return status;
}

void free_grid(Grid *g)
{
    cudaFree(g->u[0].data);
    cudaFree(g->u[1].data);
    cudaFree(g->c->data);
    free(g->c);
    free(g);
}

__global__ void diffuse(Field next, Field now, const double *c, double dt)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= now.nx || y >= now.ny)
        return;
    int i = y * now.nx + x;
    double sum = 0.0, here = now.data[i];
    if (x > 0)
        sum += now.data[i - 1] - here;
    if (x + 1 < now.nx)
        sum += now.data[i + 1] - here;
    if (y > 0)
        sum += now.data[i - now.nx] - here;
    if (y + 1 < now.ny)
        sum += now.data[i + now.nx] - here;
    next.data[i] = here + dt * c[i] * sum / (1.0 + here * here);
}

void advance(Grid *g, double dt)
{
    Field *now = &g->u[g->current], *next = &g->u[1 - g->current];
    dim3 block(4, 4), grid((now->nx + 3) / 4, (now->ny + 3) / 4);
    diffuse<<<grid, block>>>(*next, *now, g->c->data, dt);
    g->current = 1 - g->current;
    g->time += dt;
}

double energy(const Grid *g)
{
    const Field *f = &g->u[g->current];
    size_t count = (size_t)f->ny * f->nx;
    double *host = (double *)malloc(count * sizeof(double)), sum = 0.0;
    cudaMemcpy(host, f->data, count * sizeof(double), cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < count; i++)
        sum += 0.5 * host[i] * host[i] * (1 + i % 3);
    free(host);
    return sum;
}

double simulate(const double *u0, const double *c, int ny, int nx, int steps)
{
    Grid *g;
    double before, after;
    if (ny < 3 || nx < 3)
        return -1.0;
    if (make_grid(&g, u0, c, ny, nx) != OK)
        return -2.0;
    before = energy(g);
    for (int t = 0; t < steps; t++)
        advance(g, t < 2 ? 0.1 : 0.2);
    after = energy(g);
    free_grid(g);
    return after / before;
}
