// Adjoint of nbody() by hand, with respect to the positions: one thread per body gathers both its roles in each pair.
// With d = r_j - r_i and w = m_j adj_a_i - m_i adj_a_j the pair adds -(w - 3 (w.d) d / |d|^2) / |d|^3 to adj_r_i.
#define TILE 256

struct body {
    float x, y, z, m;
};

__global__ void nbody_pullback(const float *x, const float *y, const float *z, const float *m, int n, float softening,
                               const float *adj_ax, const float *adj_ay, const float *adj_az,
                               float *adj_x, float *adj_y, float *adj_z)
{
    __shared__ __align__(16) struct body bodies[TILE];
    __shared__ __align__(16) struct body adjoints[TILE];
    int t = threadIdx.x;
    int i = blockIdx.x * TILE + t;
    int own = i < n ? i : n - 1;
    float xi = x[own], yi = y[own], zi = z[own], mi = m[own];
    float gx = adj_ax[own], gy = adj_ay[own], gz = adj_az[own];
    float sx = 0.0f, sy = 0.0f, sz = 0.0f;
    for (int first = 0; first < n; first += TILE) {
        int j = first + t < n ? first + t : n - 1;
        bodies[t].x = x[j];
        bodies[t].y = y[j];
        bodies[t].z = z[j];
        bodies[t].m = m[j];
        adjoints[t].x = adj_ax[j];
        adjoints[t].y = adj_ay[j];
        adjoints[t].z = adj_az[j];
        __syncthreads();
        int count = n - first < TILE ? n - first : TILE;
#pragma unroll 8
        for (int k = 0; k < count; k++) {
            float dx = bodies[k].x - xi;
            float dy = bodies[k].y - yi;
            float dz = bodies[k].z - zi;
            float mj = bodies[k].m;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
            float square = inverse * inverse;
            float cube = square * inverse;
            float wx = mj * gx - mi * adjoints[k].x;
            float wy = mj * gy - mi * adjoints[k].y;
            float wz = mj * gz - mi * adjoints[k].z;
            float along = 3.0f * square * (wx * dx + wy * dy + wz * dz);
            sx += cube * (along * dx - wx);
            sy += cube * (along * dy - wy);
            sz += cube * (along * dz - wz);
        }
        __syncthreads();
    }
    if (i < n) {
        adj_x[i] += sx;
        adj_y[i] += sy;
        adj_z[i] += sz;
    }
}
