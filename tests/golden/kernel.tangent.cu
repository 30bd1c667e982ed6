// tangent of scale (line 15)
static __global__ void scale_tangent_2(
    double *y, const double *x, double a, int n, double *dot_y, double *dot_x, double dot_a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        dot_y[i] = x[i] * dot_a + a * dot_x[i];
        y[i] = a * x[i];
    }
}

// tangent of y of scale (line 15) along x, a
extern "C" void scale_tangent(
    const dim3 grid, const dim3 block, size_t shared_mem, cudaStream_t stream, double *y, const double *x,
    double a, int n, double *dot_x, double dot_a, double *dot_y)
{
    scale_tangent_2<<<grid, block, shared_mem, stream>>>(y, x, a, n, dot_y, dot_x, dot_a);
}
