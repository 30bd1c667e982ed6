using index = int;
using real = double;
__global__ void f(real *y, const real *values, const real *x, const index *columns, const index *offsets, index rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        auto sum = double();
        for (auto k = offsets[row]; k < offsets[row + 1]; ++k)
            sum += values[k] * x[columns[k]];
        y[row] = sum;
    }
}
