// Adjoint of axpy() by hand: adj_a is summed in a register, then over the block; one atomic addition a block.
// adj_y is the seed and, unchanged, the gradient with respect to the y that came in.
__global__ void axpy_pullback(const float *x, float a, int n, const float *adj_y, float *adj_x, float *adj_a)
{
    __shared__ float sums[32];
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float seed = adj_y[i];
        adj_x[i] += a * seed;
        sum += x[i] * seed;
    }
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (lane == 0)
        sums[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = lane < blockDim.x / 32 ? sums[lane] : 0.0f;
        for (int offset = 16; offset > 0; offset /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, offset);
        if (lane == 0)
            atomicAdd(adj_a, sum);
    }
}
