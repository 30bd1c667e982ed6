// Adjoint of spmv() by hand, with respect to the values and x.  Nobody has the transpose, so adj_x takes atomics.

// LANES neighbouring threads share a row, so that values, columns and adj_values are read and written coalesced.
#define LANES 8

__global__ void spmv_pullback_lanes(const float *values, const int *columns, const int *rows, const float *x, int n,
                                    const float *adj_y, float *adj_values, float *adj_x)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int row = thread / LANES;
    if (row < n) {
        float seed = adj_y[row];
        int last = rows[row + 1];
        for (int k = rows[row] + thread % LANES; k < last; k += LANES) {
            int column = columns[k];
            adj_values[k] += seed * x[column];
            atomicAdd(&adj_x[column], seed * values[k]);
        }
    }
}

// The primal's mapping: one row a thread.
__global__ void spmv_pullback_rows(const float *values, const int *columns, const int *rows, const float *x, int n,
                                   const float *adj_y, float *adj_values, float *adj_x)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n) {
        float seed = adj_y[row];
        int last = rows[row + 1];
        for (int k = rows[row]; k < last; k++) {
            int column = columns[k];
            adj_values[k] += seed * x[column];
            atomicAdd(&adj_x[column], seed * values[k]);
        }
    }
}
