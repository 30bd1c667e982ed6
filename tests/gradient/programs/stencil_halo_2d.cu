/*---
function = "step"
wrt = ["u", "k"]
of = ["v"]
[inputs]
v = { zeros = [13, 11] }
u = { shape = [13, 11], random = 1 }
k = 0.3
rows = 13
columns = 11
---*/
// A five-point stencil on a two-dimensional tile with a halo of one cell, loaded by the threads at its rim.
#define BX 4
#define BY 8

__global__ void step_kernel(double *v, const double *u, double k, int rows, int columns)
{
    __shared__ double tile[BY + 2][BX + 2];
    int x = blockIdx.x * BX + threadIdx.x;
    int y = blockIdx.y * BY + threadIdx.y;
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    int inside = x < columns && y < rows;
    if (inside) {
        tile[ty][tx] = u[y * columns + x];
        if (tx == 1 && x > 0)
            tile[ty][0] = u[y * columns + x - 1];
        if (tx == BX && x < columns - 1)
            tile[ty][BX + 1] = u[y * columns + x + 1];
        if (ty == 1 && y > 0)
            tile[0][tx] = u[(y - 1) * columns + x];
        if (ty == BY && y < rows - 1)
            tile[BY + 1][tx] = u[(y + 1) * columns + x];
    }
    __syncthreads();
    if (inside && x > 0 && x < columns - 1 && y > 0 && y < rows - 1) {
        double c = tile[ty][tx];
        double laplace = tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx] - 4.0 * c;
        v[y * columns + x] = c + k * laplace * (1.0 + c * c);
    }
}

void step(double *v, const double *u, double k, int rows, int columns)
{
    dim3 block(BX, BY);
    dim3 grid((columns + BX - 1) / BX, (rows + BY - 1) / BY);
    step_kernel<<<grid, block>>>(v, u, k, rows, columns);
}
