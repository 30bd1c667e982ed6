// tangent of decay (line 11)
static __global__ void decay_tangent(double *u, int n, double *dot_u)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        dot_u[i] = 0.9 * dot_u[i];
        u[i] = 0.9 * u[i];
    }
}

// tangent of u of march (line 18) along u
extern "C" void march_tangent(double *u, int n, int steps, double *dot_u)
{
    for (int t = 0; t < steps; ++t) {
        decay_tangent<<<(n + 31) / 32, 32>>>(u, n, dot_u);
    }
}
