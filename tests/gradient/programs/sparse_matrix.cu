/*---
function = "multiply"
wrt = ["values", "x"]
of = ["y"]
[inputs]
y = { zeros = [7] }
values = { shape = [16], random = 1 }
x = { shape = [7], random = 2 }
starts = { values = [0, 3, 4, 4, 9, 11, 15, 16] }
columns = { values = [0, 2, 5, 1, 0, 1, 3, 4, 6, 2, 4, 0, 3, 5, 6, 6] }
rows = 7

[[cases]]
name = "thread_per_row"

[[cases]]
name = "warp_per_row"
function = "multiply_by_warps"
---*/
// A sparse matrix in compressed rows times a vector: a thread a row, and a warp a row with shuffles.
__global__ void by_threads(double *y, const double *values, const double *x, const int *starts, const int *columns,
                           int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    double sum = 0.0;
    for (int k = starts[row]; k < starts[row + 1]; k++)
        sum += values[k] * x[columns[k]];
    y[row] = sum;
}

void multiply(double *y, const double *values, const double *x, const int *starts, const int *columns, int rows)
{
    by_threads<<<(rows + 3) / 4, 4>>>(y, values, x, starts, columns, rows);
}

__global__ void by_warps(double *y, const double *values, const double *x, const int *starts, const int *columns,
                         int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (row >= rows)
        return;
    double sum = 0.0;
    for (int k = starts[row] + lane; k < starts[row + 1]; k += 32)
        sum += values[k] * x[columns[k]];
    for (int offset = 16; offset; offset >>= 1)
        sum += __shfl_xor_sync(0xffffffff, sum, offset);
    if (lane == 0)
        y[row] = sum * sum;
}

void multiply_by_warps(double *y, const double *values, const double *x, const int *starts, const int *columns, int rows)
{
    by_warps<<<(rows + 1) / 2, 64>>>(y, values, x, starts, columns, rows);
}
