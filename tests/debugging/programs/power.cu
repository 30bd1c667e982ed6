/*---
function = "objective"
wrt = ["x", "p"]
breaks = "adjoint"
[right.inputs]
x = { shape = [6], random_uniform = 10, low = 0.5, high = 2.0 }
[inputs]
x = { values = [1.0, 2.0, 0.0, 0.5, 1.5, 1.0] }
p = 0.5
n = 6
---*/
// A power below one of zero: the objective is finite, its gradient is not.
__global__ void powers(double *y, const double *x, double p, int n)
{
    int i = threadIdx.x;
    if (i < n)
        y[i] = 1.0 + pow(x[i], p); // breaks
}

double objective(const double *x, double p, int n)
{
    double *y, *values = (double *)malloc(n * sizeof(double));
    cudaMalloc(&y, n * sizeof(double));
    powers<<<1, 32>>>(y, x, p, n);
    cudaMemcpy(values, y, n * sizeof(double), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; ++i)
        sum += values[i] * values[i];
    cudaFree(y);
    free(values);
    return sum;
}
