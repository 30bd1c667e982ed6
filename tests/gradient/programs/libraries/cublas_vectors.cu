/*---
function = "project"
wrt = ["h_x", "h_y", "alpha"]
of = ["h_y"]
[inputs]
h_x = { shape = [700], random = 1 }
h_y = { shape = [700], random = 2 }
n = 331
alpha = 0.7
steps = 3
---*/
// Vectors: their products decide how much of one is taken from another, the same vector is both operands, one number
// is a vector; several handles, which are made again and again.
#include <cublas_v2.h>

void project(float *h_x, float *h_y, int n, float alpha, int steps)
{
    float *x, *y;
    cudaMalloc((void **)&x, 700 * sizeof(float));
    cudaMalloc((void **)&y, 700 * sizeof(float));
    cudaMemcpy(x, h_x, 700 * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(y, h_y, 700 * sizeof(float), cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; t++) {
        cublasHandle_t handle;
        float square, share, size, norm;
        cublasCreate(&handle);
        cublasSdot(handle, n, x, 2, x, 2, &square);
        cublasSdot(handle, n, x, 2, y, -1, &share);
        cublasSasum(handle, n, y, 1, &size);
        cublasSnrm2(handle, n, y, 2, &norm);
        float taken = -alpha * share / (1 + square), grown = 1 + 0.01f * norm / (1 + size);
        cublasSaxpy(handle, n, &taken, x, 2, y, -1);
        cublasSscal(handle, n, &grown, x, 1);
        cublasSaxpy(handle, n, &alpha, y, 1, y, 1);
        cublasSdot(handle, 40, x + t, 0, y + 7, 3, &share);
        cublasSger(handle, 5, 4, &share, y, 1, x + 9, 2, y + 100, 6);
        cublasSger(handle, 5, 4, &alpha, x, 1, x, -3, y + 200, 5);
        cublasSswap(handle, 20, x + 300, 1, y + 300, 1);
        cublasDestroy(handle);
    }
    cudaMemcpy(h_y, y, 700 * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(x);
    cudaFree(y);
}
