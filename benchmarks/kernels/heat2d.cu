// One explicit step of the heat equation in two dimensions, five points; the boundary keeps its values.
__global__ void heat2d(float *out, const float *in, int nx, int ny, float c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= 1 && j >= 1 && i < nx - 1 && j < ny - 1) {
        int k = j * nx + i;
        out[k] = in[k] + c * (in[k - 1] + in[k + 1] + in[k - nx] + in[k + nx] - 4.0f * in[k]);
    }
}
