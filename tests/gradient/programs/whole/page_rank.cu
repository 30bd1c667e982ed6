/*---
function = "rank_pages"
wrt = ["values", "damping"]
of = ["rank"]
[inputs]
rank = { zeros = [8] }
row = { values = [0, 2, 4, 7, 9, 11, 13, 16, 18] }
column = { values = [1, 3, 0, 2, 1, 4, 7, 0, 5, 2, 6, 3, 7, 0, 4, 5, 1, 6] }
values = { shape = [18], random_uniform = 1, low = 0.2, high = 1.0 }
n = 8
damping = 0.85
tolerance = 1e-3
---*/
// A sparse matrix in compressed rows, applied until the rank no longer moves: columns are normalised first by atomics,
// each product takes a warp's worth of threads a row, and the norm comes back in pinned memory.
#include <math.h>

typedef struct {
    int rows, entries;
    int *start, *column;
    double *value;
} Csr;

__global__ void column_sums(double *sums, Csr m)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < m.entries)
        atomicAdd(&sums[m.column[k]], m.value[k]);
}

__global__ void normalise(Csr m, const double *sums)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < m.entries)
        m.value[k] /= sums[m.column[k]];
}

__global__ void apply(double *y, Csr m, const double *x, double damping)
{
    int row = blockIdx.x, lane = threadIdx.x;
    double sum = 0.0;
    for (int k = m.start[row] + lane; k < m.start[row + 1]; k += 32)
        sum += m.value[k] * x[m.column[k]];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (lane == 0)
        y[row] = damping * sum + (1.0 - damping) / m.rows;
}

__global__ void difference(double *d, const double *x, const double *y, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    *d = sqrt(sum);
}

__global__ void set(double *x, double v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = v;
}

static Csr upload(const int *row, const int *column, const double *values, int n)
{
    Csr m;
    m.rows = n;
    m.entries = row[n];
    cudaMalloc((void **)&m.start, (n + 1) * sizeof(int));
    cudaMalloc((void **)&m.column, m.entries * sizeof(int));
    cudaMalloc((void **)&m.value, m.entries * sizeof(double));
    cudaMemcpy(m.start, row, (n + 1) * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(m.column, column, m.entries * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(m.value, values, m.entries * sizeof(double), cudaMemcpyHostToDevice);
    return m;
}

int rank_pages(double *rank, const int *row, const int *column, const double *values, int n, double damping,
               double tolerance)
{
    Csr m = upload(row, column, values, n);
    double *sums, *x, *y, *moved, *h_moved;
    cudaMalloc((void **)&sums, n * sizeof(double));
    cudaMalloc((void **)&x, n * sizeof(double));
    cudaMalloc((void **)&y, n * sizeof(double));
    cudaMalloc((void **)&moved, sizeof(double));
    cudaMallocHost((void **)&h_moved, sizeof(double));
    cudaMemset(sums, 0, n * sizeof(double));
    column_sums<<<(m.entries + 31) / 32, 32>>>(sums, m);
    normalise<<<(m.entries + 31) / 32, 32>>>(m, sums);
    set<<<1, n>>>(x, 1.0 / n, n);
    int k;
    for (k = 0; k < 100; k++) {
        apply<<<n, 32>>>(y, m, x, damping);
        difference<<<1, 1>>>(moved, x, y, n);
        cudaMemcpyAsync(h_moved, moved, sizeof(double), cudaMemcpyDeviceToHost, 0);
        cudaStreamSynchronize(0);
        double *swap = x;
        x = y;
        y = swap;
        if (*h_moved < tolerance)
            break;
    }
    cudaMemcpy(rank, x, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(m.start);
    cudaFree(m.column);
    cudaFree(m.value);
    cudaFree(sums);
    cudaFree(x);
    cudaFree(y);
    cudaFree(moved);
    cudaFreeHost(h_moved);
    return k;
}
