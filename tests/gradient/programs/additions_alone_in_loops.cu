/*---
function = "run"
wrt = ["x", "w"]
of = ["y"]
[inputs]
x = { shape = [96], random = 1 }
w = { shape = [13], random = 2 }
y = { zeros = [96] }
[[cases]]
name = "several"
inputs = { m = 13 }
[[cases]]
name = "few"
inputs = { m = 3 }
[[cases]]
name = "none"
inputs = { m = 0 }
---*/
// Loops whose bodies do nothing but add what does not change in them to one cell of shared memory for all lanes: in the
// program, by a function, through a pointer, of both types; and in its adjoint, where all lanes read such cells.
#include <cuda_runtime.h>

__device__ void put(double *to, double v) { atomicAdd(to, v); }

__global__ void spread(double *y, const double *x, const double *w, int m)
{
    __shared__ double sums[16], weights[16], more[16];
    __shared__ float fewer[16];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    double *behind = more + 1, v = x[i], sum = 0.5 * v;
    if (t < 16) {
        sums[t] = more[t] = 0;
        fewer[t] = 0;
        weights[t] = t < 13 ? w[t] : 0;
    }
    __syncthreads();
    for (int k = 0; k < m; k++)
        atomicAdd(&sums[k], v);
    for (int k = 0; k < m; k++)
        atomicAdd(behind + k, v * v);
    for (int k = m - 1; k >= 0; k--)
        put(&sums[k], sin(v));
    for (int k = 0; k < m; k++)
        atomicAdd(&fewer[k], (float)v);
    for (int k = 0; k < m; k++)
        sum += weights[k] * v;
    __syncthreads();
    if (m > 0)
        y[i] = sum * sum + sums[i % m] * v + behind[(i + 1) % m] + fewer[i % m] * fewer[(i + 2) % m];
}

void run(double *y, const double *x, const double *w, int m)
{
    double *d_x, *d_w, *d_y;
    cudaMalloc(&d_x, 96 * sizeof(double));
    cudaMalloc(&d_y, 96 * sizeof(double));
    cudaMalloc(&d_w, 13 * sizeof(double));
    cudaMemcpy(d_x, x, 96 * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_w, w, 13 * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemset(d_y, 0, 96 * sizeof(double));
    spread<<<2, 48>>>(d_y, d_x, d_w, m);
    cudaMemcpy(y, d_y, 96 * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    cudaFree(d_y);
    cudaFree(d_w);
}
