/*---
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [40] }
x = { shape = [40], random_uniform = 5, low = 0.3, high = 1.7 }
n = 37

[[cases]]
function = "local"
launch = { grid = [3], block = [16] }
[[cases]]
function = "through_pointers"
launch = { grid = [3], block = [16] }
[[cases]]
function = "integers"
launch = { grid = [3], block = [16] }
[[cases]]
function = "shared_array"
launch = { grid = [3], block = [16] }
[[cases]]
function = "in_a_loop"
launch = { grid = [3], block = [16] }
[[cases]]
function = "on_the_host"
---*/
// The address of a store depends on what it overwrites: saving, storing and restoring must mean the same cell.
#include <stdlib.h>

__global__ void local(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double c[2] = {x[i], x[(i + 1) % n]};
    c[c[0] > c[1] ? 0 : 1] *= x[0] * c[0];
    c[(int)c[0] % 2] += c[0] * c[1];
    c[c[1] > 0.7] = c[0] * c[0] * c[1];
    y[i] = c[0] * c[1];
}

__global__ void through_pointers(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double a = x[i], b = x[(i + 3) % n];
    *(a > b ? &a : &b) = a * b * b;
    double c[3] = {a, b, x[0]};
    double *p = c;
    p[(int)(p[1] * 2) % 3] *= p[0];
    *(p + (p[0] > p[1])) = p[1] * p[2];
    y[i] = a * c[0] + c[1] * c[2] * b;
}

__global__ void integers(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int next[4] = {1, 2, 3, 0};
    next[next[0]] = i % 4;
    next[next[next[1]]] = 3 - i % 4;
    double v = x[i];
    for (int k = 0, at = 0; k < 3; k++) {
        v *= x[at] + 0.5;
        next[next[at]] = at;
        at = next[at];
    }
    y[i] = v * (next[0] + 1) + next[2] * v * v;
}

__global__ void shared_array(double *y, const double *x, int n)
{
    __shared__ double s[32];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[2 * t] = x[i % n];
    s[2 * t + 1] = x[(i + 5) % n];
    s[2 * t + (s[2 * t] > s[2 * t + 1])] *= s[2 * t] * s[2 * t + 1];
    __syncthreads();
    if (i < n)
        y[i] = s[2 * t] * s[31 - 2 * t] * s[2 * t + 1];
}

__global__ void in_a_loop(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double c[3] = {x[i], x[(i + 1) % n], x[(i + 2) % n]};
    for (int k = 0; k < n % 8; k++)
        c[c[k % 3] > c[(k + 1) % 3] ? k % 3 : (k + 1) % 3] *= 0.7 * c[(k + 2) % 3];
    y[i] = c[0] * c[1] + c[2];
}

void on_the_host(double *y, const double *x, int n)
{
    double *z = (double *)malloc(n * sizeof(double)), *h = (double *)malloc(n * sizeof(double));
    cudaMemcpy(h, x, n * sizeof(double), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) {
        double a = h[i], b = h[(i + 3) % n];
        *(a > b ? &a : &b) = a * b * b;
        h[h[i] > 1 ? i : n - 1 - i] *= a;
        z[i] = a * b + h[i];
    }
    cudaMemcpy(y, z, n * sizeof(double), cudaMemcpyHostToDevice);
    free(z);
    free(h);
}
