#include <cstdio>
#include <cstdlib>

static void hetad_launched(dim3 grid);

// pullback of force_kernel (line 17), with respect to f, x
static __global__ void force_kernel_pullback(
    const double *__restrict__ x, int n, const double *__restrict__ adj_f, double *__restrict__ adj_x)
{
    int i = threadIdx.x;
    if (i < n) {
        const double distance = x[i];
        const double seed = adj_f[i];
        const double inverse_distance = 1.0 / distance;
        const double inverse = inverse_distance;
        const double exp_1 = exp(-distance);
        // line 22: f[i] = pull(x[i]);
        const double adj_inverse = 2.0 * seed * inverse;
        const double adj_exp_1 = -seed;
        // line 14: return inverse * inverse - exp(-distance);
        double adj_distance = -(adj_exp_1 == 0 ? 0 : adj_exp_1 * exp_1);
        // line 13: double inverse = 1.0 / distance;
        adj_distance -= adj_inverse == 0 ? 0 : adj_inverse * inverse * inverse_distance;
        // line 22: f[i] = pull(x[i]);
        adj_x[i] += adj_distance;
    }
}

// gradient of f of forces (line 25) with respect to x
extern "C" void forces_grad(double *f, const double *x, int n, double *adj_f, double *adj_x)
{
    // line 27: force_kernel<<<1, 32>>>(f, x, n);
    force_kernel_pullback<<<1, 32>>>(x, n, adj_f, adj_x);
    hetad_launched(dim3(1));
}

// ---- hetad's own functions that are called above, and what they need ----

// A failure that leaves no right answer ends the program.
static void hetad_fail(const char *message)
{
    fprintf(stderr, "hetad: %s\n", message);
    abort();
}

// Every CUDA call of the derivative's own must succeed.
static void hetad_check(cudaError_t error)
{
    if (error != cudaSuccess) {
        hetad_fail(cudaGetErrorString(error));
    }
}

// The launch before must have worked; one without blocks does nothing and may be refused.
static void hetad_launched(dim3 grid)
{
    cudaError_t error = cudaGetLastError();
    if (grid.x > 0 && grid.y > 0 && grid.z > 0) {
        hetad_check(error);
    }
}
