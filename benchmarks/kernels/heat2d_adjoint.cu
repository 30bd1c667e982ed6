// Adjoint of heat2d() by hand: one thread per element of `in` gathers from the up to five outputs that read it.
__global__ void heat2d_pullback(const float *adj_out, float *adj_in, int nx, int ny, float c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < nx && j < ny) {
        int k = j * nx + i;
        int inner_i = i >= 1 && i < nx - 1;
        int inner_j = j >= 1 && j < ny - 1;
        float near = 0.0f;
        if (inner_j && i >= 2)
            near += adj_out[k - 1];
        if (inner_j && i < nx - 2)
            near += adj_out[k + 1];
        if (inner_i && j >= 2)
            near += adj_out[k - nx];
        if (inner_i && j < ny - 2)
            near += adj_out[k + nx];
        float own = inner_i && inner_j ? adj_out[k] : 0.0f;
        adj_in[k] += own + c * (near - 4.0f * own);
    }
}
