/*---
wrt = ["u", "v", "c"]
of = ["u", "v"]
[inputs]
u = { shape = [2600], random = 1 }
v = { shape = [2600], random = 2 }
c = 0.07
nx = 40
ny = 64
steps = 5
[[cases]]
name = "two_interiors"
function = "two_interiors"
[[cases]]
name = "changing_grids"
function = "changing_grids"
[[cases]]
name = "columns_first"
function = "columns_first"
[[cases]]
name = "history"
function = "history"
[[cases]]
name = "limit"
function = "two_interiors"
memory_limit = "300kB"
inputs = { steps = 12 }
---*/
// Interiors of several shapes in one loop: what one leaves the other writes, and grids that do not always cover them.
__global__ void inner(double *to, const double *from, double c, int nx, int ny)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= 1 && j >= 1 && i < nx - 1 && j < ny - 1) {
        int k = j * nx + i;
        to[k] = sin(from[k]) + c * cos(from[k - 1]) * from[k + nx];
    }
}

__global__ void wider(double *to, const double *from, double c, int nx, int ny)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < nx - 2 && j >= 2 && j < ny) {
        int k = j * nx + i;
        to[k] = cos(from[k] + c) * from[k + 1] + 0.2 * from[k - nx];
    }
}

__global__ void mix(double *a, const double *b, double c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = sin(a[i] + c * b[i] * b[i]);
}

__global__ void odd(double *to, const double *from, double c, int nx, int ny)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i > 0 && i < nx - 1 && j > 0 && j < ny - 1)
        to[i + j * nx] = sin(from[i + j * nx] * (1.0 + c)) + 0.1 * from[i + j * nx + 1];
}

__global__ void row(double *h, const double *from, double c, int t, int nx, int ny)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= 1 && i < nx - 1 && j >= t && j < ny - t)
        h[j * nx + i] = sin(from[j * nx + i]) * (1.0 + c * t);
}

void two_interiors(double *u, double *v, double c, int nx, int ny, int steps)
{
    dim3 block(16, 4), grid(3, 16);
    for (int t = 0; t < steps; t++) {
        inner<<<grid, block>>>(v, u, c, nx, ny);
        wider<<<grid, block>>>(u, v, c, nx, ny);
        mix<<<82, 32>>>(v, u, c, 2600);
        wider<<<grid, block>>>(v, u, 0.5 * c, nx, ny);
        inner<<<grid, block>>>(u, v, c, nx, ny);
        mix<<<82, 32>>>(u, v, c, 2600);
    }
}

void changing_grids(double *u, double *v, double c, int nx, int ny, int steps)
{
    double *a = u, *b = v;
    for (int t = 0; t < steps; t++) {
        dim3 block(16, 4), grid(3 - t % 2, 16 - t);
        inner<<<grid, block>>>(b, a, c, nx, ny);
        double *s = a;
        a = b;
        b = s;
        nx -= t % 3 == 2;
    }
}

void columns_first(double *u, double *v, double c, int nx, int ny, int steps)
{
    dim3 block(16, 4), grid(4, 10);
    for (int t = 0; t < steps; t++) {
        odd<<<grid, block>>>(v, u, c, nx, ny);
        odd<<<grid, block>>>(u, v, c, nx, ny);
        mix<<<82, 32>>>(u, v, c, 2600);
    }
}

void history(double *u, double *v, double c, int nx, int ny, int steps)
{
    dim3 block(16, 4), grid(3, 16);
    for (int t = 0; t < steps; t++) {
        row<<<grid, block>>>(v, u, c, t, nx, ny);
        row<<<grid, block>>>(u, v, c, steps - t, nx, ny);
        mix<<<40, 32>>>(v, u, c, 1280);
    }
}
