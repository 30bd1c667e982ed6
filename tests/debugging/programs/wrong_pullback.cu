/*---
function = "weigh"
wrt = ["x", "w"]
breaks = "identity"
[rules.bump]
cuda = "__device__ void bump_pullback(double x, double w, double seed, double *adj_x, double *adj_w) { *adj_x += -2 * w * x * exp(-x * x) * fabs(seed); *adj_w += exp(-x * x) * seed; }"
[right.rules.bump]
cuda = "__device__ void bump_pullback(double x, double w, double seed, double *adj_x, double *adj_w) { *adj_x += -2 * w * x * exp(-x * x) * seed; *adj_w += exp(-x * x) * seed; }"
[inputs]
x = { shape = [40], random = 2 }
w = { shape = [40], random = 3 }
n = 40
---*/
// A pullback that loses the sign of its seed: the tangent, which asks it with a seed of 1, is right.
__device__ double bump(double x, double w) { return w * exp(-x * x); }

__global__ void bumps(double *y, const double *x, const double *w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double here = 1.0 - w[i];
        y[i] = here - 3.0 * bump(x[i], w[i]); // breaks
    }
}

double weigh(const double *x, const double *w, int n)
{
    double *y;
    cudaMalloc(&y, n * sizeof(double));
    bumps<<<(n + 15) / 16, 16>>>(y, x, w, n);
    double *values = (double *)malloc(n * sizeof(double));
    cudaMemcpy(values, y, n * sizeof(double), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; ++i)
        sum += values[i] * values[i];
    free(values);
    cudaFree(y);
    return sum;
}
