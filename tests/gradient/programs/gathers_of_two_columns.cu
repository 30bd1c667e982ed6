/*---
function = "run"
wrt = ["a"]
of = ["sums"]
[inputs]
sums = { zeros = [3] }
a = { shape = [13, 6], random = 1 }
rows = 13
columns = 6
i = 1
j = 4

[[cases]]
name = "two_columns"

[[cases]]
name = "one_column"
inputs = { j = 1 }
---*/
// Sums over threads whose increments fall into columns that only the launch knows, and into neighbours of fixed distance.
__global__ void of_columns(double *sum, const double *a, int i, int j, int rows, int columns)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < rows)
        atomicAdd(sum, a[k * columns + i] * a[k * columns + j]);
}

__global__ void of_neighbours(double *sum, const double *a, int rows)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < rows)
        atomicAdd(sum, a[2 * k] * a[2 * k + 1]);
}

__global__ void of_fixed_columns(double *sum, const double *a, int rows)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < rows)
        atomicAdd(sum, a[k * 6 + 2] * a[k * 6 + 5] * a[k * 6 + 2]);
}

void run(double *sums, const double *a, int i, int j, int rows, int columns)
{
    of_columns<<<(rows + 3) / 4, 4>>>(sums, a, i, j, rows, columns);
    of_neighbours<<<(rows + 3) / 4, 4>>>(sums + 1, a, rows);
    of_fixed_columns<<<(rows + 3) / 4, 4>>>(sums + 2, a, rows);
}
