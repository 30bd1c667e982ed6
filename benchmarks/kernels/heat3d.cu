// One step with the 25-point star of radius 4 in three dimensions; c[r] is the weight at distance r.
#define RADIUS 4

__global__ void heat3d(float *out, const float *in, const float *c, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < RADIUS || y < RADIUS || z < RADIUS || x >= nx - RADIUS || y >= ny - RADIUS || z >= nz - RADIUS)
        return;
    int sy = nx;
    int sz = nx * ny;
    int i = z * sz + y * sy + x;
    float sum = c[0] * in[i];
    for (int r = 1; r <= RADIUS; r++)
        sum += c[r] * (in[i - r] + in[i + r] + in[i - r * sy] + in[i + r * sy] + in[i - r * sz] + in[i + r * sz]);
    out[i] = sum;
}
