/*---
function = "solve"
wrt = ["u", "f"]
of = ["u"]
[inputs]
u = { shape = [11, 13], random = 1 }
f = { shape = [11, 13], random = 2 }
rows = 11
columns = 13
tolerance = 0.6
most = 60

[[cases]]
name = "converges"

[[cases]]
name = "stops_at_most"
inputs = { tolerance = 1e-9, most = 4 }

[[cases]]
name = "already_there"
inputs = { tolerance = 1e9 }
---*/
// Poisson's equation by Jacobi's method: sweeps until the largest row sum of changes, read back each time, is small.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                              \
    do {                                                                                         \
        cudaError_t status = (call);                                                             \
        if (status != cudaSuccess) {                                                             \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));      \
            exit(EXIT_FAILURE);                                                                  \
        }                                                                                        \
    } while (0)

__global__ void sweep(double *next, const double *u, const double *f, int rows, int columns)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= rows || j >= columns)
        return;
    int k = i * columns + j;
    if (i == 0 || j == 0 || i == rows - 1 || j == columns - 1)
        next[k] = u[k];
    else
        next[k] = 0.25 * (u[k - 1] + u[k + 1] + u[k - columns] + u[k + columns] + f[k]);
}

__global__ void change_of_rows(double *change, const double *next, const double *u, int rows, int columns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) {
        double sum = 0.0;
        for (int j = 0; j < columns; j++)
            sum += fabs(next[i * columns + j] - u[i * columns + j]);
        change[i] = sum;
    }
}

int solve(double *u, const double *f, int rows, int columns, double tolerance, int most)
{
    size_t bytes = (size_t)rows * columns * sizeof(double);
    double *d_u, *d_next, *d_f, *d_change;
    CHECK(cudaMalloc((void **)&d_u, bytes));
    CHECK(cudaMalloc((void **)&d_next, bytes));
    CHECK(cudaMalloc((void **)&d_f, bytes));
    CHECK(cudaMalloc((void **)&d_change, rows * sizeof(double)));
    CHECK(cudaMemcpy(d_u, u, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_f, f, bytes, cudaMemcpyHostToDevice));
    double *change = (double *)malloc(rows * sizeof(double));

    dim3 block(8, 4);
    dim3 grid((columns + block.x - 1) / block.x, (rows + block.y - 1) / block.y);
    double residual = 2.0 * tolerance;
    int sweeps = 0;
    while (residual > tolerance && sweeps < most) {
        sweep<<<grid, block>>>(d_next, d_u, d_f, rows, columns);
        change_of_rows<<<(rows + 31) / 32, 32>>>(d_change, d_next, d_u, rows, columns);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(change, d_change, rows * sizeof(double), cudaMemcpyDeviceToHost));
        residual = 0.0;
        for (int i = 0; i < rows; i++)
            residual = change[i] > residual ? change[i] : residual;
        double *swap = d_u;
        d_u = d_next;
        d_next = swap;
        sweeps++;
        if (sweeps % 1000 == 0)
            printf("sweep %d: residual %g\n", sweeps, residual);
    }
    CHECK(cudaMemcpy(u, d_u, bytes, cudaMemcpyDeviceToHost));
    free(change);
    CHECK(cudaFree(d_u));
    CHECK(cudaFree(d_next));
    CHECK(cudaFree(d_f));
    CHECK(cudaFree(d_change));
    return sweeps;
}
