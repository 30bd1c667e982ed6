/*---
function = "f"
wrt = ["x"]
[inputs]
x = { shape = [7], random = 1 }
n = 7
---*/
// A local array of arrays whose lengths the run tells: elements, rows that are handed on, a copy to the device.
#include <cstring>
__global__ void squares(const double *a, double *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        b[i] = a[i] * a[i];
}
static double total(const double *row, int n)
{
    double s = 0;
    for (int i = 0; i < n; ++i)
        s += row[i] * (i + 1);
    return s;
}
double f(const double *x, int n)
{
    const int m = n - 2;
    double s = 0;
    for (int step = 1; step < 3; ++step) {
        double t[n][m], weights[3][m];
        memset(t, 0, sizeof(t));
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < m; ++j)
                t[i][j] += step * x[i] * x[j] + (i > 0 ? 0.5 * t[i - 1][j] : 1.0);
        for (int k = 0; k < 3; ++k)
            for (int j = 0; j < m; ++j)
                weights[k][j] = x[k] * t[k + 1][j] * step;
        double *a, *b;
        cudaMalloc(&a, sizeof(t));
        cudaMalloc(&b, sizeof(t));
        cudaMemcpy(a, t, sizeof(t), cudaMemcpyHostToDevice);
        squares<<<(n * m + 3) / 4, 4>>>(a, b, n * m);
        cudaMemcpy(&t[0][0], b, sizeof(t), cudaMemcpyDeviceToHost);
        cudaFree(a);
        cudaFree(b);
        for (int i = 0; i < n; ++i)
            s += total(t[i], m) * weights[i % 3][1];
    }
    return s;
}
