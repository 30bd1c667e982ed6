/*---
wrt = ["x", "y", "w"]
of = ["x", "y"]

[[cases]]
name = "members_and_copies"
function = "members_and_copies"
inputs = { x = { shape = [12], random = 1 }, y = { shape = [12], random = 2 }, n = 12, steps = 3, w = 0.4 }

[[cases]]
name = "swapped_tables"
function = "swapped_tables"
inputs = { x = { shape = [12], random = 1 }, y = { shape = [12], random = 2 }, n = 12, steps = 3, w = 0.4 }

[[cases]]
name = "made_in_a_loop"
function = "made_in_a_loop"
inputs = { x = { shape = [12], random = 1 }, y = { shape = [12], random = 2 }, n = 12, steps = 3, w = 0.4 }

[[cases]]
name = "row_by_row"
function = "row_by_row"
wrt = ["x"]
of = ["x"]
inputs = { x = { shape = [30], random = 1 }, n = 5, m = 6 }
---*/
// Structs of pointers in device memory: members set one by one, copied on the device and back to the host; pointers to
// such structs chosen and swapped; allocated and freed in a loop; rows that are set one by one between launches.
typedef struct {
    double *u, *v;
    double w;
    int n;
} Grid;

__global__ void step(const Grid *from, Grid *to, double c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < from->n)
        to->v[i] = c * from->u[i] * to->v[i] + from->w * from->u[from->n - 1 - i];
}

__global__ void self(Grid *g)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < g->n)
        g->u[i] = sin(g->u[i]) + g->v[i] * g->w;
}

void members_and_copies(double *x, double *y, int n, int steps, double w)
{
    Grid *d, *e, back;
    cudaMalloc((void **)&d, sizeof(Grid));
    cudaMalloc((void **)&e, 2 * sizeof(Grid));
    cudaMemset(d, 0, sizeof(Grid));
    cudaMemset(e, 0, 2 * sizeof(Grid));
    cudaMemcpy(&d->u, &x, sizeof(double *), cudaMemcpyHostToDevice);
    cudaMemcpy(&d->v, &y, sizeof(double *), cudaMemcpyHostToDevice);
    cudaMemcpy(&d->n, &n, sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(&d->w, &w, sizeof(double), cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; t++) {
        self<<<2, 8>>>(d);
        cudaMemcpy(e + 1, d, sizeof(Grid), cudaMemcpyDeviceToDevice);
        cudaMemcpy(&back, d, sizeof(Grid), cudaMemcpyDeviceToHost);
        if (t == 1) {
            double *u = back.u;
            back.u = back.v;
            back.v = u;
        }
        back.w *= 0.8;
        cudaMemcpy(e, &back, sizeof(Grid), cudaMemcpyHostToDevice);
        if (t != 1)
            step<<<2, 8>>>(e + 1, e, 0.3);
        step<<<2, 8>>>(e, e, 0.1 * t);
        w *= 1.1;
        cudaMemcpy(&d->w, &w, sizeof(double), cudaMemcpyHostToDevice);
    }
    cudaFree(d);
    cudaFree(e);
}

static Grid *make(double *u, double *v, double w, int n)
{
    Grid h = {u, v, w, n}, *d = NULL;
    if (cudaMalloc((void **)&d, sizeof(Grid)) != cudaSuccess)
        return NULL;
    cudaMemcpy(d, &h, sizeof(Grid), cudaMemcpyHostToDevice);
    return d;
}

void swapped_tables(double *x, double *y, int n, int steps, double w)
{
    Grid *a = make(x, y, w, n), *b = make(y, x, 2 * w, n);
    for (int t = 0; t < steps; t++) {
        Grid *g = t == 1 ? b : a;
        self<<<2, 8>>>(g);
        step<<<2, 8>>>(a, a, 0.5);
        Grid *s = a;
        a = b;
        b = s;
    }
    cudaFree(a);
    cudaFree(b);
}

void made_in_a_loop(double *x, double *y, int n, int steps, double w)
{
    for (int t = 0; t < steps; t++) {
        Grid h = {t % 2 ? x : y, t % 2 ? y : x, w * (t + 1), n}, *d;
        double *copy;
        cudaMalloc((void **)&copy, n * sizeof(double));
        cudaMemcpy(copy, h.u, n * sizeof(double), cudaMemcpyDeviceToDevice);
        h.u = copy;
        cudaMalloc((void **)&d, sizeof(Grid));
        cudaMemcpy(d, &h, sizeof(Grid), cudaMemcpyHostToDevice);
        self<<<2, 8>>>(d);
        step<<<2, 8>>>(d, d, 0.5);
        cudaFree(d);
        cudaFree(copy);
    }
}

__global__ void rows(double **r, int n, int m)
{
    int i = blockIdx.x, j = threadIdx.x;
    if (i % 2 == 0 && r[i] && j < m)
        r[i][j] = r[i][j] * r[i][j] + 0.1 * r[(i + 1) % n][j];
}

void row_by_row(double *x, int n, int m)
{
    double **d;
    cudaMalloc((void **)&d, n * sizeof(double *));
    cudaMemset(d, 0, n * sizeof(double *));
    for (int i = n - 1; i >= 0; i -= 2) {
        double *row = x + i * m;
        cudaMemcpy(d + i, &row, sizeof(double *), cudaMemcpyHostToDevice);
    }
    for (int i = 0; i < n; i++) {
        double *row = x + (n - 1 - i) * m;
        cudaMemcpy(&d[i], &row, sizeof row, cudaMemcpyHostToDevice);
        if (i >= 2)
            rows<<<i / 2, 8>>>(d, 2, m);
    }
    cudaFree(d);
}
