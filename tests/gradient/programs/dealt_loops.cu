/*---
function = "product"
wrt = ["a", "x", "scale"]
of = ["y"]
[launch]
grid = 2
block = 32
[inputs]
y = { shape = [45], random = 1 }
a = { shape = [130], random = 2 }
x = { shape = [50], random = 3 }
scale = { shape = [45], random = 4 }
column = { values = [3, 7, 7, 0, 49, 20, 21, 22, 23, 5, 5, 5, 1, 30, 31, 2, 2, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 40, 41, 42, 43, 44, 45, 46, 47, 48, 0, 1, 2, 3, 4, 6, 6, 6, 33, 34, 35, 36, 37, 38, 39, 24, 25, 26, 27, 28, 29, 30] }
first = { values = [0, 3, 3, 4, 9, 15, 15, 16, 30, 31, 31, 31, 33, 38, 38, 40, 41, 41, 42, 44, 45, 46, 46, 46, 50, 51, 51, 51, 52, 52, 53, 53, 53, 54, 54, 54, 55, 55, 56, 56, 57, 57, 58, 58, 59, 60] }
n = 45

[[cases]]
name = "product"

[[cases]]
name = "product_odd_block"
launch = { grid = 3, block = 20 }

[[cases]]
name = "product_flat_block"
launch = { grid = 1, block = [8, 8] }
function = "product_flat"

[[cases]]
name = "blocks_of_two"
function = "blocks_of_two"

[[cases]]
name = "chosen_before"
function = "chosen_before"
wrt = ["a", "x"]

[[cases]]
name = "parameters_changed"
function = "parameters_changed"
wrt = ["a", "x"]

[[cases]]
name = "neighbours"
function = "neighbours"
wrt = ["x", "scale"]
---*/
// Loops over what belongs to a thread's row: in the pullback neighbouring threads share each other's rows.

__global__ void product(double *y, const double *a, const double *x, const double *scale, const int *column,
                        const int *first, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n) {
        double sum = 0.0;
        for (int k = first[row]; k < first[row + 1]; k++)
            sum += a[k] * x[column[k]];
        y[row] = sum * scale[row] + sin(sum);
    }
}

__global__ void product_flat(double *y, const double *a, const double *x, const double *scale, const int *column,
                             const int *first, int n)
{
    int row = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    if (row < n && row != 7) {
        double sum = 0.0;
        for (int k = first[row]; k <= first[row + 1] - 1; ++k)
            sum += a[k] * x[column[k]];
        y[row] = sum * scale[row];
    }
}

// Each entry is a block of two by two: the loops within are a lane's own.
__global__ void blocks_of_two(double *y, const double *a, const double *x, const double *scale, const int *column,
                              const int *first, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n / 2)
        return;
    double upper = 0.0, lower = 0.0;
    for (int k = first[row]; k < first[row + 1]; k++) {
        if (column[k] == 7)
            continue;
        for (int j = 0; j < 2; j++) {
            upper += a[2 * k + j] * x[column[k]];
            lower -= a[2 * k + j] * a[2 * k + 1] * x[49 - column[k]] * scale[j];
        }
    }
    y[2 * row] = upper;
    y[2 * row + 1] = lower;
}

// A pair interaction over lists of neighbours: the thread's own sum stays its own.
__global__ void neighbours(double *y, const double *a, const double *x, const double *scale, const int *column,
                           const int *first, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double force = 0.0;
        for (int k = first[i]; k < first[i + 1]; k++) {
            double d = x[column[k]] - x[i];
            force += scale[i] * d / (d * d + a[k] * a[k] + 0.5);
        }
        y[i] = force;
    }
}

// What the loop needs of its row is set in branches.
__global__ void chosen_before(double *y, const double *a, const double *x, const double *scale, const int *column,
                              const int *first, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n) {
        double sum = 0.0;
        double s = row % 2 ? scale[row] : 2.0 * scale[0];
        for (int k = first[row]; k < first[row + 1]; k++)
            sum += a[k] * x[column[k]] * s;
        y[row] = sum;
    }
}

// Parameters that each thread changes for itself are its own in its row alone.
__global__ void parameters_changed(double *y, const double *a, const double *x, const double *scale, const int *column,
                                   const int *first, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int rows = n;
    n = 1 + row % 3;
    if (row < rows) {
        double sum = 0.0;
        for (int k = first[row]; k < first[row + 1]; k++)
            sum += a[k] * x[(column[k] + n) % 50] * n;
        y[row] = sum;
    }
}
