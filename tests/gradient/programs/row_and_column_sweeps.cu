/*---
function = "sweep"
wrt = ["a", "b"]
of = ["a"]
[inputs]
a = { shape = [8, 12], random_uniform = 1, low = 0.5, high = 1.2 }
b = { shape = [8, 12], random_uniform = 2, low = 0.5, high = 1.2 }
ny = 8
nx = 12
---*/
// Sweeps over rows and, backwards, over columns of one array; rows are copied and parts of them set in between.
__global__ void row(double *a, const double *b, int y, int nx)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nx)
        a[y * nx + i] = a[y * nx + i] - 0.3 * a[(y - 1) * nx + i] * b[y * nx + i];
}

__global__ void column(double *a, const double *b, int x, int ny, int nx)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < ny)
        a[j * nx + x] += 0.2 * a[j * nx + x + 1] * a[j * nx + x] * b[j * nx + x];
}

__global__ void block(double *a, int y0, int x0, int h, int w, int pitch)
{
    int x = threadIdx.x, y = threadIdx.y;
    if (x < w && y < h)
        a[(y0 + y) * pitch + x0 + x] *= a[(y0 + y) * pitch + x0 + x];
}

void sweep(double *a, const double *b, int ny, int nx)
{
    for (int it = 0; it < 2; it++) {
        for (int y = 1; y < ny; y++)
            row<<<2, 8>>>(a, b, y, nx);
        for (int x = nx - 2; x >= 0; x--)
            column<<<1, 16>>>(a, b, x, ny, nx);
        block<<<1, dim3(4, 4)>>>(a, it + 1, it + 2, 3, 4, nx);
        cudaMemcpy(a + 2 * nx, a + 5 * nx, nx * sizeof(double), cudaMemcpyDeviceToDevice);
        cudaMemset(a + (6 + it) * nx + 3, 0, 4 * sizeof(double));
        cudaMemcpy2D(a, nx * sizeof(double), a + 4 * nx + 1, nx * sizeof(double), 3 * sizeof(double), 2,
                     cudaMemcpyDeviceToDevice);
    }
}
