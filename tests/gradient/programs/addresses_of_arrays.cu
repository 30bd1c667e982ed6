/*---
function = "run"
wrt = ["in"]
of = ["out"]
[inputs]
in = { shape = [10], random = 1 }
out = { zeros = [10] }
n = 5
---*/
// `&array` is the address of the whole array: in copies between host, device and symbols the same as `array`.
#include <string.h>

typedef struct {
    double *x;
    double *y;
    double scale[2];
    int n;
} row;

row rows[2];
__constant__ row device_rows[2];
__constant__ double weights[5];
__constant__ double grid[2][3];

__global__ void of_rows()
{
    int b = blockIdx.x, i = threadIdx.x;
    if (i < device_rows[b].n)
        device_rows[b].y[i] = device_rows[b].x[i] * device_rows[b].x[i] * device_rows[b].scale[1];
}

__global__ void weighted(double *y, const double *x)
{
    int i = threadIdx.x;
    y[i] += weights[i] * x[i] * grid[i % 2][i % 3];
}

void run(double *in, double *out, int n)
{
    double local[5], copy[5], table[2][3], *dx, *dy;
    for (int b = 0; b < 2; b++) {
        cudaMalloc((void **)&rows[b].x, n * sizeof(double));
        cudaMalloc((void **)&rows[b].y, n * sizeof(double));
        cudaMemcpy(rows[b].x, in + b * n, n * sizeof(double), cudaMemcpyHostToDevice);
        rows[b].scale[0] = 0;
        rows[b].scale[1] = b + 1.5;
        rows[b].n = n;
    }
    cudaMemcpyToSymbol(device_rows, &rows, sizeof(row) * 2);
    of_rows<<<2, 32>>>();
    for (int b = 0; b < 2; b++) {
        cudaMemcpy(out + b * n, rows[b].y, n * sizeof(double), cudaMemcpyDeviceToHost);
        cudaFree(rows[b].x);
        cudaFree(rows[b].y);
    }

    for (int i = 0; i < 6; i++)
        table[i / 3][i % 3] = in[i] * in[i];
    memcpy(&local, in, sizeof local);
    memmove(&copy, &local, sizeof copy);
    cudaMalloc(&dx, sizeof local);
    cudaMalloc(&dy, sizeof local);
    cudaMemcpy(dx, &copy, sizeof copy, cudaMemcpyHostToDevice);
    cudaMemcpy(dy, (void *)&out[0], sizeof local, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(weights, &local, sizeof local);
    cudaMemcpyToSymbol(grid, &table, sizeof table);
    weighted<<<1, 5>>>(dy, dx);
    cudaMemcpyFromSymbol(&local, weights, sizeof local);
    cudaMemcpyFromSymbol(&table, grid, sizeof table);
    cudaMemcpy(&copy, dy, sizeof copy, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 5; i++)
        out[i] = copy[i] + local[4 - i] * table[1][i % 3];
    cudaFree(dx);
    cudaFree(dy);
}
