// tangent of react (line 11)
static __global__ void react_tangent(double *u, int n, double *dot_u)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        dot_u[i] += (1.0 - u[i]) * (0.1 * dot_u[i]) - 0.1 * u[i] * dot_u[i];
        u[i] += 0.1 * u[i] * (1.0 - u[i]);
    }
}

// tangent of u of march (line 18) along u
extern "C" void march_tangent(double *u, int n, int steps, double *dot_u)
{
    for (int t = 0; t < steps; ++t) {
        react_tangent<<<(n + 31) / 32, 32>>>(u, n, dot_u);
    }
}
