/* Adjoint of nbody() by hand: for each body i the loop over the targets j has no reduction, so it vectorises. */
#include <math.h>

void nbody_pullback(const float *restrict x, const float *restrict y, const float *restrict z, const float *restrict m,
                    int n, float softening, const float *restrict gx, const float *restrict gy,
                    const float *restrict gz, float *restrict adj_x, float *restrict adj_y, float *restrict adj_z)
{
    for (int i = 0; i < n; i++) {
        const float xi = x[i], yi = y[i], zi = z[i], mi = m[i], gxi = gx[i], gyi = gy[i], gzi = gz[i];
        for (int j = 0; j < n; j++) {
            const float dx = xi - x[j], dy = yi - y[j], dz = zi - z[j];
            const float inverse = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + softening);
            const float square = inverse * inverse, cube = square * inverse;
            const float wx = mi * gx[j] - m[j] * gxi, wy = mi * gy[j] - m[j] * gyi, wz = mi * gz[j] - m[j] * gzi;
            const float along = 3.0f * square * (wx * dx + wy * dy + wz * dz);
            adj_x[j] += cube * (along * dx - wx);
            adj_y[j] += cube * (along * dy - wy);
            adj_z[j] += cube * (along * dz - wz);
        }
    }
}
