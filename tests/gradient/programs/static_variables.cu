/*---
function = "driver"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [21] }
x = { shape = [21], random = 1 }
n = 21
---*/
// Variables that outlive calls: at file scope and in functions, numbers, arrays, pointers, structs with pointers;
// memory that the first call allocates.

typedef struct {
    double *u, *v;
    int n;
} Grid;

static double scale, weights[3] = {0.5, 0.25, 2.0}, sums[40];
static double *work = NULL;
static double *levels[2];
static Grid grid;
int launches = 0;

__global__ void step(double *v, const double *u, double factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] = factor * u[i] * u[(i + 1) % n];
}

static void setup(const double *x, int n)
{
    scale = 0.75;
    launches = 0;
    grid.n = n;
    for (int i = 0; i < 40; i++)
        sums[i] = 0.0;
    for (int k = 0; k < 2; k++)
        cudaMalloc((void **)&levels[k], n * sizeof(double));
    grid.u = levels[0];
    grid.v = levels[1];
    cudaMalloc(&work, n * sizeof(double));
    cudaMemcpy(grid.u, x, n * sizeof(double), cudaMemcpyHostToDevice);
}

static double next_factor()
{
    static int calls = 0;
    static double factor;
    if (calls++ % 4 == 0)
        factor = scale;
    return factor *= weights[1] * 3;
}

static double *scratch(int n)
{
    static double *memory = 0;
    if (memory == 0)
        cudaMalloc(&memory, n * sizeof(double));
    return memory;
}

static void advance()
{
    double *t = scratch(grid.n);
    step<<<(grid.n + 7) / 8, 8>>>(t, grid.u, next_factor(), grid.n);
    launches++;
    step<<<(grid.n + 7) / 8, 8>>>(grid.v, t, weights[launches % 3], grid.n);
    double *swapped = grid.u;
    grid.u = grid.v;
    grid.v = swapped;
}

static void teardown()
{
    cudaFree(levels[0]);
    cudaFree(levels[1]);
    cudaFree(work);
}

void driver(double *y, const double *x, int n)
{
    setup(x, n);
    for (int k = 0; k < 4; k++)
        advance();
    step<<<(n + 7) / 8, 8>>>(work, grid.u, scale, n);
    cudaMemcpy(y, work, n * sizeof(double), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) {
        sums[i % 5] += x[i] * x[i];
        scale += y[i] * y[i];
    }
    for (int i = 0; i < n; i++)
        y[i] += sums[i % 5] * scale * launches;
    teardown();
}
