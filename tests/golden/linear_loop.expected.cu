#include <cstdio>
#include <cstdlib>

static void hetad_launched(dim3 grid);

// pullback of decay (line 11), with respect to u
static __global__ void decay_pullback(int n, double *__restrict__ adj_u)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        // line 15: u[i] = 0.9 * u[i];
        const double seed = adj_u[i];
        adj_u[i] = seed * 0.9;
    }
}

// gradient of u of march (line 18) with respect to u
extern "C" void march_grad(double *u, int n, int steps, double *adj_u)
{
    for (int t = steps - 1; t >= 0; --t) {
        // line 21: decay<<<(n + 31) / 32, 32>>>(u, n);
        decay_pullback<<<(n + 31) / 32, 32>>>(n, adj_u);
        hetad_launched(dim3((n + 31) / 32));
    }
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
