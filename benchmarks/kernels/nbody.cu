// Softened gravity, all pairs: one thread per body sums the pull of all others.
__global__ void nbody(float *ax, float *ay, float *az, const float *x, const float *y, const float *z, const float *m,
                      int n, float softening)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sx = 0.0f, sy = 0.0f, sz = 0.0f;
        for (int j = 0; j < n; j++) {
            float dx = x[j] - x[i];
            float dy = y[j] - y[i];
            float dz = z[j] - z[i];
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
            float pull = m[j] * inverse * inverse * inverse;
            sx += pull * dx;
            sy += pull * dy;
            sz += pull * dz;
        }
        ax[i] = sx;
        ay[i] = sy;
        az[i] = sz;
    }
}
