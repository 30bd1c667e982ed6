// Nonlinear heat: the conductivity is 1 + u², taken between two cells, so the pullback of a step needs the lattice that
// the step read.  `work` is scratch; the result is in `u` after an even number of steps.  Both are device pointers.
__device__ float flux(float here, float there)
{
    float mean = 0.5f * (here + there);
    return (1.0f + mean * mean) * (there - here);
}

__global__ void diffusion_step(float *out, const float *in, int nx, int ny, float c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= 1 && j >= 1 && i < nx - 1 && j < ny - 1) {
        int k = j * nx + i;
        float here = in[k];
        out[k] = here + c * (flux(here, in[k - 1]) + flux(here, in[k + 1]) + flux(here, in[k - nx])
                             + flux(here, in[k + nx]));
    }
}

void diffusion(float *u, float *work, int nx, int ny, float c, int steps)
{
    dim3 block(32, 8);
    dim3 grid((nx + 31) / 32, (ny + 7) / 8);
    float *now = u;
    float *next = work;
    cudaMemcpy(work, u, sizeof(float) * nx * ny, cudaMemcpyDeviceToDevice);
    for (int step = 0; step < steps; step++) {
        diffusion_step<<<grid, block>>>(next, now, nx, ny, c);
        float *swap = now;
        now = next;
        next = swap;
    }
}
