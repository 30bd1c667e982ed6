/*---
function = "solve"
wrt = ["f"]
of = ["u"]
[inputs]
u = { zeros = [33] }
f = { shape = [33], random = 1 }
cycles = 2
---*/
// A multigrid V-cycle for Poisson's equation in one dimension: grids of different sizes, one allocation per level in
// arrays of device pointers, down and up again in loops, launches that shrink and grow.
#define LEVELS 4

typedef struct {
    double *u[LEVELS], *f[LEVELS], *r[LEVELS];
    int n[LEVELS];
} Hierarchy;

__global__ void smooth(double *u, const double *f, int n, double h2, int parity)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + parity;
    if (i > 0 && i < n - 1)
        u[i] = 0.5 * (u[i - 1] + u[i + 1] + h2 * f[i]);
}

__global__ void residual(double *r, const double *u, const double *f, int n, double h2)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        r[i] = i > 0 && i < n - 1 ? f[i] + (u[i - 1] - 2.0 * u[i] + u[i + 1]) / h2 : 0.0;
}

__global__ void restrict_to(double *coarse, const double *fine, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        coarse[i] = i > 0 && i < n - 1 ? 0.25 * fine[2 * i - 1] + 0.5 * fine[2 * i] + 0.25 * fine[2 * i + 1] : 0.0;
}

__global__ void prolong(double *fine, const double *coarse, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        fine[i] += i % 2 ? 0.5 * (coarse[i / 2] + coarse[i / 2 + 1]) : coarse[i / 2];
}

static int blocks(int n)
{
    return (n + 7) / 8;
}

static void relax(Hierarchy *g, int l, int times)
{
    double h = 1.0 / (g->n[l] - 1);
    for (int k = 0; k < times; k++)
        for (int parity = 0; parity < 2; parity++)
            smooth<<<blocks(g->n[l] / 2 + 1), 8>>>(g->u[l], g->f[l], g->n[l], h * h, parity);
}

static void v_cycle(Hierarchy *g)
{
    for (int l = 0; l < LEVELS - 1; l++) {
        double h = 1.0 / (g->n[l] - 1);
        relax(g, l, 2);
        residual<<<blocks(g->n[l]), 8>>>(g->r[l], g->u[l], g->f[l], g->n[l], h * h);
        restrict_to<<<blocks(g->n[l + 1]), 8>>>(g->f[l + 1], g->r[l], g->n[l + 1]);
        cudaMemset(g->u[l + 1], 0, g->n[l + 1] * sizeof(double));
    }
    relax(g, LEVELS - 1, 8);
    for (int l = LEVELS - 2; l >= 0; l--) {
        prolong<<<blocks(g->n[l]), 8>>>(g->u[l], g->u[l + 1], g->n[l]);
        relax(g, l, 2);
    }
}

void solve(double *u, const double *f, int cycles)
{
    Hierarchy g;
    for (int l = 0, n = 33; l < LEVELS; l++, n = n / 2 + 1) {
        g.n[l] = n;
        cudaMalloc((void **)&g.u[l], n * sizeof(double));
        cudaMalloc((void **)&g.f[l], n * sizeof(double));
        cudaMalloc((void **)&g.r[l], n * sizeof(double));
    }
    cudaMemcpy(g.f[0], f, g.n[0] * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(g.u[0], u, g.n[0] * sizeof(double), cudaMemcpyHostToDevice);
    while (cycles--)
        v_cycle(&g);
    cudaMemcpy(u, g.u[0], g.n[0] * sizeof(double), cudaMemcpyDeviceToHost);
    for (int l = 0; l < LEVELS; l++) {
        cudaFree(g.u[l]);
        cudaFree(g.f[l]);
        cudaFree(g.r[l]);
    }
}
