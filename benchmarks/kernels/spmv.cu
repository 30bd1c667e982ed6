// Sparse matrix times vector, compressed rows, one row a thread: y = A x.
__global__ void spmv(float *y, const float *values, const int *columns, const int *rows, const float *x, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n) {
        float sum = 0.0f;
        for (int k = rows[row]; k < rows[row + 1]; k++)
            sum += values[k] * x[columns[k]];
        y[row] = sum;
    }
}
