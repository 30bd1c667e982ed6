__global__ void f(double *y, const double *values, const double *x, const int *columns, const int *offsets, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        double sum = 0.0;
        for (int k = offsets[row]; k < offsets[row + 1]; ++k)
            sum += values[k] * x[columns[k]];
        y[row] = sum;
    }
}
