/*---
[[cases]]
name = "by_time_step"
function = "push_indirectly"
wrt = ["position", "velocity"]
of = ["position"]
inputs = { position = { shape = [33], random = 1 }, velocity = { shape = [33], random = 2 }, charge = { shape = [33], random = 3, low = 1, high = 4 }, n = 33 }

[[cases]]
name = "filled_again"
function = "refill"
wrt = ["u", "v", "dt"]
of = ["u", "v"]
inputs = { u = { shape = [21], random = 1 }, v = { shape = [21], random = 2 }, n = 21, steps = 3, dt = 0.2 }

[[cases]]
name = "no_steps"
function = "refill"
wrt = ["u", "v", "dt"]
of = ["u", "v"]
inputs = { u = { shape = [21], random = 1 }, v = { shape = [21], random = 2 }, n = 21, steps = 0, dt = 0.2 }

[[cases]]
name = "filled_again_within_limit"
function = "refill"
wrt = ["u", "v", "dt"]
of = ["u", "v"]
memory_limit = "20kB"
inputs = { u = { shape = [21], random = 1 }, v = { shape = [21], random = 2 }, n = 21, steps = 5, dt = 0.2 }

[[cases]]
name = "array_of_structs"
function = "several"
wrt = ["x", "y"]
inputs = { x = { shape = [11], random = 1 }, y = { shape = [11], random = 2 }, n = 11, m = 3 }

[[cases]]
name = "variables_at_file_scope"
function = "symbols"
wrt = ["u", "w"]
of = ["y"]
inputs = { y = { shape = [11], random = 1 }, u = { shape = [11], random = 2 }, w = { shape = [11], random = 3 }, n = 11 }

[[cases]]
name = "numbers_that_kernels_write"
function = "counters"
wrt = ["u", "v", "dt"]
inputs = { u = { shape = [11], random = 1 }, v = { shape = [11], random = 2 }, n = 11, dt = 0.7 }
---*/
// Structs that hold device pointers, stored in device memory: one that is filled again with swapped pointers, an array
// of them, a constant one, and one whose numbers kernels change.
struct cloud {
    double *position, *velocity;
    const int *charge;
    int n;
};
__device__ double field(const struct cloud *c, int i)
{
    return c->charge[i] * sin(c->position[i]);
}
__global__ void push_from_memory(const struct cloud *c, double dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < c->n) {
        c->velocity[i] += dt * field(c, i);
        c->position[i] += dt * c->velocity[i] * c->velocity[i];
    }
}
void push_indirectly(double *position, double *velocity, const int *charge, int n)
{
    struct cloud c = {position, velocity, charge, n};
    struct cloud *d_c;
    cudaMalloc(&d_c, sizeof(struct cloud));
    cudaMemcpy(d_c, &c, sizeof(struct cloud), cudaMemcpyHostToDevice);
    for (int step = 0; step < 2; step++)
        push_from_memory<<<(n + 15) / 16, 16>>>(d_c, 0.1);
    cudaFree(d_c);
}

struct Grid { double *u; double *v; double dt; int n; };

__global__ void step(struct Grid *g)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= g->n) return;
    double left = i > 0 ? g->u[i - 1] : 0.0, right = i + 1 < g->n ? g->u[i + 1] : 0.0;
    g->v[i] = g->u[i] + g->dt * (left * right - g->u[i] * g->u[i]);
}
// the pointers are swapped on the host and the struct is filled again
void refill(double *u, double *v, int n, int steps, double dt)
{
    struct Grid h, *g;
    cudaMalloc((void **)&g, sizeof(struct Grid));
    h.u = u; h.v = v; h.n = n; h.dt = dt;
    for (int t = 0; t < steps; t++) {
        cudaMemcpy(g, &h, sizeof(struct Grid), cudaMemcpyHostToDevice);
        step<<<(n + 7) / 8, 8>>>(g);
        double *s = h.u; h.u = h.v; h.v = s;
        h.dt *= 0.9;
    }
    cudaFree(g);
}

// two structs in device memory, chosen by the step; members of their own allocated
__global__ void couple(struct Grid *a, const struct Grid *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < a->n) a->u[i] += b->dt * b->v[i] * a->v[i];
}
double several(const double *x, const double *y, int n, int m)
{
    struct Grid *h = (struct Grid *)malloc(m * sizeof(struct Grid)), *d;
    for (int k = 0; k < m; k++) {
        h[k].n = n - k; h[k].dt = 0.1 * (k + 1);
        cudaMalloc(&h[k].u, n * sizeof(double));
        cudaMalloc(&h[k].v, n * sizeof(double));
        cudaMemcpy(h[k].u, x, n * sizeof(double), cudaMemcpyHostToDevice);
        cudaMemcpy(h[k].v, y, n * sizeof(double), cudaMemcpyHostToDevice);
    }
    cudaMalloc(&d, m * sizeof(struct Grid));
    cudaMemcpy(d, h, m * sizeof(struct Grid), cudaMemcpyHostToDevice);
    for (int t = 0; t < 2 * m; t++) {
        couple<<<(n + 7) / 8, 8>>>(d + t % m, &d[(t + 1) % m]);
        step<<<(n + 7) / 8, 8>>>(&d[t % m]);
    }
    double sum = 0.0, *r = (double *)malloc(n * sizeof(double));
    for (int k = 0; k < m; k++) {
        cudaMemcpy(r, h[k].u, n * sizeof(double), cudaMemcpyDeviceToHost);
        for (int i = 0; i < n; i++) sum += r[i] * r[i] * (i + 1);
    }
    for (int k = 0; k < m; k++) { cudaFree(h[k].u); cudaFree(h[k].v); }
    cudaFree(d); free(h); free(r);
    return sum;
}

// a constant struct, and a device pointer at file scope
__constant__ struct Grid c_grid;
__device__ double *d_weights;
__global__ void weigh(double *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < c_grid.n) y[i] = c_grid.u[i] * d_weights[i] + c_grid.dt * c_grid.v[i];
}
void symbols(double *y, double *u, double *w, int n)
{
    struct Grid h = {u, w, 0.3, n};
    cudaMemcpyToSymbol(c_grid, &h, sizeof(h));
    cudaMemcpyToSymbol(d_weights, &w, sizeof(double *));
    weigh<<<(n + 7) / 8, 8>>>(y);
    cudaMemcpyToSymbol(d_weights, &y, sizeof(double *));
    weigh<<<(n + 7) / 8, 8>>>(y);
}
// numbers in the struct, written by the kernel
__global__ void total(struct Grid *g)
{
    if (threadIdx.x == 0) {
        double s = 0;
        for (int i = 0; i < g->n; i++) s += g->u[i] * g->v[i];
        g->dt = s * g->dt;
    }
}
__global__ void scale(const struct Grid *g)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < g->n) g->v[i] *= g->dt * g->dt;
}
double counters(double *u, double *v, int n, double dt)
{
    struct Grid h = {u, v, dt, n}, *g;
    cudaMalloc(&g, sizeof h);
    cudaMemcpy(g, &h, sizeof h, cudaMemcpyHostToDevice);
    for (int t = 0; t < 2; t++) {
        total<<<1, 32>>>(g);
        scale<<<(n + 7) / 8, 8>>>(g);
    }
    cudaMemcpy(&h, g, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(g);
    return h.dt;
}
