/*---
function = "integral"
wrt = ["coefficients", "low", "high"]
[inputs]
coefficients = { shape = [5], random = 1 }
low = -0.4
high = 1.3
---*/
// Romberg's integration of a function with parameters: trapezoid sums on the device with twice the points each time,
// the tableau of Richardson's extrapolation in a two-dimensional array on the host.
#include <math.h>

#define ROWS 5

__constant__ double c[5];

__device__ double f(double x)
{
    return c[0] * exp(-c[1] * c[1] * x * x) + c[2] * sin(c[3] * x) + c[4] * x * x * x;
}

__global__ void midpoints(double *values, double low, double h, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        values[i] = f(low + (i + 0.5) * h);
}

__global__ void ends(double *values, double low, double high)
{
    values[0] = 0.5 * f(low);
    values[1] = 0.5 * f(high);
}

double sum(const double *device, int count)
{
    double host[64], total = 0.0;
    cudaMemcpy(host, device, count * sizeof(double), cudaMemcpyDeviceToHost);
    for (int i = 0; i < count; i++)
        total += host[i];
    return total;
}

double integral(const double *coefficients, double low, double high)
{
    double *values, t[ROWS][ROWS];
    cudaMemcpyToSymbol(c, coefficients, 5 * sizeof(double));
    cudaMalloc(&values, 64 * sizeof(double));
    ends<<<1, 1>>>(values, low, high);
    t[0][0] = (high - low) * sum(values, 2);
    double h = high - low;
    for (int k = 1; k < ROWS; k++, h *= 0.5) {
        int count = 1 << (k - 1);
        midpoints<<<(count + 7) / 8, 8>>>(values, low, h, count);
        t[k][0] = 0.5 * (t[k - 1][0] + h * sum(values, count));
        double four = 1.0;
        for (int j = 1; j <= k; j++) {
            four *= 4.0;
            t[k][j] = t[k][j - 1] + (t[k][j - 1] - t[k - 1][j - 1]) / (four - 1.0);
        }
    }
    cudaFree(values);
    return t[ROWS - 1][ROWS - 1];
}
