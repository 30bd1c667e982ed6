/* Adjoint of contract() by hand: both inner loops run along a row, without a reduction for adj_B and with eight
   partial sums for adj_A, so that both can be vectorised without reordering a sum. */
void contract_pullback(const float *restrict A, const float *restrict B, int pq, int K, int rs,
                       const float *restrict adj_C, float *restrict adj_A, float *restrict adj_B)
{
    for (int row = 0; row < pq; row++) {
        const float *g = adj_C + (long)row * rs;
        for (int k = 0; k < K; k++) {
            const float *b = B + (long)k * rs;
            float *adj_b = adj_B + (long)k * rs;
            const float a = A[row * K + k];
            float part[16] = {0};
            int col = 0;
            for (; col + 16 <= rs; col += 16)
                for (int v = 0; v < 16; v++) {
                    part[v] += g[col + v] * b[col + v];
                    adj_b[col + v] += a * g[col + v];
                }
            float sum = 0;
            for (; col < rs; col++) {
                sum += g[col] * b[col];
                adj_b[col] += a * g[col];
            }
            for (int v = 0; v < 16; v++)
                sum += part[v];
            adj_A[row * K + k] += sum;
        }
    }
}
