/* Adjoint of axpy() by hand: sixteen partial sums, so that adj_a vectorises without reordering a sum. */
void axpy_pullback(const float *restrict x, float a, int n, const float *restrict adj_y, float *restrict adj_x,
                   float *restrict adj_a)
{
    float part[16] = {0};
    int i = 0;
    for (; i + 16 <= n; i += 16)
        for (int v = 0; v < 16; v++) {
            adj_x[i + v] += a * adj_y[i + v];
            part[v] += x[i + v] * adj_y[i + v];
        }
    float sum = 0;
    for (; i < n; i++) {
        adj_x[i] += a * adj_y[i];
        sum += x[i] * adj_y[i];
    }
    for (int v = 0; v < 16; v++)
        sum += part[v];
    *adj_a += sum;
}
