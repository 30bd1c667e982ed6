/* Adjoint of conv1d() by hand: stretches that stay in the first cache; for a fixed tap both loops vectorise. */
#define TAPS 31
#define STRETCH 1024

void conv1d_pullback(const float *restrict in, const float *restrict w, int n, const float *restrict adj_out,
                     float *restrict adj_in, float *restrict adj_w)
{
    for (int first = 0; first < n; first += STRETCH) {
        const int count = n - first < STRETCH ? n - first : STRETCH;
        const float *g = adj_out + first;
        for (int j = 0; j < TAPS; j++) {
            const float *v = in + first + j;
            float *a = adj_in + first + j;
            const float weight = w[j];
            float part[16] = {0}, sum = 0;
            int i = 0;
            for (; i + 16 <= count; i += 16)
                for (int l = 0; l < 16; l++) {
                    a[i + l] += weight * g[i + l];
                    part[l] += v[i + l] * g[i + l];
                }
            for (; i < count; i++) {
                a[i] += weight * g[i];
                sum += v[i] * g[i];
            }
            for (int l = 0; l < 16; l++)
                sum += part[l];
            adj_w[j] += sum;
        }
    }
}
