/*---
function = "couple"
wrt = ["u", "v"]
of = ["u", "v"]
[inputs]
u = { shape = [4, 5], random = 1 }
v = { shape = [4, 5], random = 2 }
nx = 5
ny = 4
steps = 6
---*/
// Structs of a pointer, sizes and a number that nothing changes, in an array, exchanged whole and passed by value.
typedef struct { double *data; int nx, ny; double scale; } Field;

__global__ void combine(Field to, Field a, Field b)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < to.nx && y < to.ny) {
        int i = y * to.nx + x, j = (y + 1) % to.ny * to.nx + x;
        to.data[i] = a.scale * a.data[i] + b.data[j] * a.data[j] * 0.3;
    }
}

static Field make(const double *host, int nx, int ny, double scale)
{
    Field f;
    f.nx = nx;
    f.ny = ny;
    f.scale = scale;
    cudaMalloc((void **)&f.data, nx * ny * sizeof(double));
    if (host)
        cudaMemcpy(f.data, host, nx * ny * sizeof(double), cudaMemcpyHostToDevice);
    return f;
}

static void swap(Field *a, Field *b)
{
    Field t = *a;
    *a = *b;
    *b = t;
}

void couple(double *u, double *v, int nx, int ny, int steps)
{
    Field f[3] = {make(u, nx, ny, 0.9), make(v, nx, ny, 1.1), make(0, nx, ny, 1.0)};
    dim3 grid((nx + 1) / 2, ny);
    for (int t = 0; t < steps; t++) {
        combine<<<grid, 2>>>(f[2], f[0], f[1]);
        swap(&f[t % 2], f + 2);
        if (t == 3)
            swap(&f[0], &f[1]);
    }
    cudaMemcpy(u, f[0].data, nx * ny * sizeof(double), cudaMemcpyDeviceToHost);
    cudaMemcpy(v, f[1].data, nx * ny * sizeof(double), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 3; i++)
        cudaFree(f[i].data);
}
