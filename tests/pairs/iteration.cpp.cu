#include <utility>
__global__ void jacobi(double *next, const double *x, const double *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        next[i] = 0.5 * (b[i] + x[i - 1] * x[i + 1]);
}
void f(double *x, double *next, const double *b, int n, int steps)
{
    for (auto s = 0; s < steps; ++s) {
        jacobi<<<(n + 7) / 8, 8>>>(next, x, b, n);
        std::swap(x, next);
    }
}
