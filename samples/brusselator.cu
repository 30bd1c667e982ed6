// The Brusselator, two substances that react and diffuse in a square whose edges are glued together: the right-hand side
// of a stiff system of ordinary differential equations, whose Jacobian has six derivatives that are not zero in each row.
// reaction_diffusion.py detects the pattern and gives SciPy's solvers the compressed Jacobian.
__device__ double laplacian(const double *f, int x, int y, int n)
{
    int left = (x + n - 1) % n, right = (x + 1) % n, above = (y + n - 1) % n, below = (y + 1) % n;
    return f[y * n + left] + f[y * n + right] + f[above * n + x] + f[below * n + x] - 4.0 * f[y * n + x];
}

__global__ void react(double *rate, const double *state, int n, double a, double b, double diffusion)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    int i = y * n + x;
    const double *u = state, *v = state + n * n;
    double made = u[i] * u[i] * v[i], scale = diffusion * n * n;
    rate[i] = b + made - (a + 1.0) * u[i] + scale * laplacian(u, x, y, n);
    rate[n * n + i] = a * u[i] - made + scale * laplacian(v, x, y, n);
}

// The rates of change of a state, first that of u, n x n cells, then that of v.
void rates(double *rate, const double *state, int n, double a, double b, double diffusion)
{
    dim3 block(16, 16), grid((n + 15) / 16, (n + 15) / 16);
    react<<<grid, block>>>(rate, state, n, a, b, diffusion);
}
