// The heat equation over many steps: two lattices that swap.  `work` is scratch; the result is in `u` after an even
// number of steps.  Both are device pointers.
__global__ void heat_step(float *out, const float *in, int nx, int ny, float c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= 1 && j >= 1 && i < nx - 1 && j < ny - 1) {
        int k = j * nx + i;
        out[k] = in[k] + c * (in[k - 1] + in[k + 1] + in[k - nx] + in[k + nx] - 4.0f * in[k]);
    }
}

void heat(float *u, float *work, int nx, int ny, float c, int steps)
{
    dim3 block(32, 8);
    dim3 grid((nx + 31) / 32, (ny + 7) / 8);
    float *now = u;
    float *next = work;
    cudaMemcpy(work, u, sizeof(float) * nx * ny, cudaMemcpyDeviceToDevice);
    for (int step = 0; step < steps; step++) {
        heat_step<<<grid, block>>>(next, now, nx, ny, c);
        float *swap = now;
        now = next;
        next = swap;
    }
}
