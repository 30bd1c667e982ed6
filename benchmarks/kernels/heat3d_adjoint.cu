// Adjoint of heat3d() by hand: the star is symmetric, so each cell gathers the same star over adj_out, which counts as
// zero where the primal wrote nothing.  Blocks walk along z: a column in registers, the plane in shared memory.
#define RADIUS 4
#define BX 32
#define BY 8

static __device__ float written(const float *adj_out, int x, int y, int z, int nx, int ny, int nz)
{
    float value = 0.0f;
    if (x >= RADIUS && y >= RADIUS && z >= RADIUS && x < nx - RADIUS && y < ny - RADIUS && z < nz - RADIUS)
        value = adj_out[(z * ny + y) * nx + x];
    return value;
}

__global__ void heat3d_pullback(const float *adj_out, float *adj_in, const float *c, int nx, int ny, int nz, int chunk)
{
    __shared__ float tile[BY + 2 * RADIUS][BX + 2 * RADIUS];
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int x = blockIdx.x * BX + tx;
    int y = blockIdx.y * BY + ty;
    int z0 = blockIdx.z * chunk;
    int z1 = z0 + chunk < nz ? z0 + chunk : nz;
    float weight[RADIUS + 1];
    float column[2 * RADIUS + 1];
#pragma unroll
    for (int r = 0; r <= RADIUS; r++)
        weight[r] = c[r];
#pragma unroll
    for (int d = 1; d <= 2 * RADIUS; d++)
        column[d] = written(adj_out, x, y, z0 - RADIUS - 1 + d, nx, ny, nz);
    for (int z = z0; z < z1; z++) {
#pragma unroll
        for (int d = 0; d < 2 * RADIUS; d++)
            column[d] = column[d + 1];
        column[2 * RADIUS] = written(adj_out, x, y, z + RADIUS, nx, ny, nz);
        __syncthreads();
        tile[ty + RADIUS][tx + RADIUS] = column[RADIUS];
        if (ty < RADIUS) {
            tile[ty][tx + RADIUS] = written(adj_out, x, y - RADIUS, z, nx, ny, nz);
            tile[ty + RADIUS + BY][tx + RADIUS] = written(adj_out, x, y + BY, z, nx, ny, nz);
        }
        if (tx < RADIUS) {
            tile[ty + RADIUS][tx] = written(adj_out, x - RADIUS, y, z, nx, ny, nz);
            tile[ty + RADIUS][tx + RADIUS + BX] = written(adj_out, x + BX, y, z, nx, ny, nz);
        }
        __syncthreads();
        float sum = weight[0] * column[RADIUS];
#pragma unroll
        for (int r = 1; r <= RADIUS; r++)
            sum += weight[r] * (column[RADIUS - r] + column[RADIUS + r] + tile[ty + RADIUS][tx + RADIUS - r] +
                                tile[ty + RADIUS][tx + RADIUS + r] + tile[ty + RADIUS - r][tx + RADIUS] +
                                tile[ty + RADIUS + r][tx + RADIUS]);
        if (x < nx && y < ny)
            adj_in[(z * ny + y) * nx + x] += sum;
    }
}

// The plain gather: one thread per cell, reuse left to the caches.
__global__ void heat3d_pullback_plain(const float *adj_out, float *adj_in, const float *c, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < nx && y < ny && z < nz) {
        float sum = c[0] * written(adj_out, x, y, z, nx, ny, nz);
#pragma unroll
        for (int r = 1; r <= RADIUS; r++)
            sum += c[r] * (written(adj_out, x - r, y, z, nx, ny, nz) + written(adj_out, x + r, y, z, nx, ny, nz) +
                           written(adj_out, x, y - r, z, nx, ny, nz) + written(adj_out, x, y + r, z, nx, ny, nz) +
                           written(adj_out, x, y, z - r, nx, ny, nz) + written(adj_out, x, y, z + r, nx, ny, nz));
        adj_in[(z * ny + y) * nx + x] += sum;
    }
}
