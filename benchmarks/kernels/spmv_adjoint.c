/* Adjoint of spmv() by hand, with respect to the values and x. */
void spmv_pullback(const float *restrict values, const int *restrict columns, const int *restrict rows,
                   const float *restrict x, int n, const float *restrict adj_y, float *restrict adj_values,
                   float *restrict adj_x)
{
    for (int row = 0; row < n; row++) {
        const float seed = adj_y[row];
        for (int k = rows[row]; k < rows[row + 1]; k++) {
            adj_values[k] += seed * x[columns[k]];
            adj_x[columns[k]] += seed * values[k];
        }
    }
}
