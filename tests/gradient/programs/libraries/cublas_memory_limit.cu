/*---
function = "solve"
wrt = ["a", "b"]
[inputs]
a = { shape = [15, 15], random = 1 }
b = { shape = [15], random = 2 }
n = 15
steps = 9
[gradcheck]
rtol = 1e-5

[[cases]]
name = "checkpoints"
memory_limit = "11kB"

[[cases]]
name = "fewer_checkpoints"
memory_limit = 9500

[[cases]]
name = "no_limit"

[[cases]]
name = "no_steps"
memory_limit = "11kB"
inputs = { steps = 0 }

[[cases]]
name = "float"
memory_limit = 7500
defines = { real = "float", BLAS_dot = "cublasSdot", BLAS_axpy = "cublasSaxpy", BLAS_scal = "cublasSscal", BLAS_nrm2 = "cublasSnrm2", BLAS_asum = "cublasSasum", BLAS_gemv = "cublasSgemv" }
[cases.gradcheck]
rtol = 2e-2
---*/
// Conjugate gradients under a memory limit: cublasDdot and its like give their results through memory of their own, which
// is no part of what the steps hand on.
#include <cublas_v2.h>

#ifndef real
#define real double
#define BLAS_dot cublasDdot
#define BLAS_axpy cublasDaxpy
#define BLAS_scal cublasDscal
#define BLAS_nrm2 cublasDnrm2
#define BLAS_asum cublasDasum
#define BLAS_gemv cublasDgemv
#endif

__global__ void normal_matrix(real *m, const real *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
    if (i < n) {
        real sum = i == j ? 1 : 0;
        for (int k = 0; k < n; k++)
            sum += a[i * n + k] * a[j * n + k] / n;
        m[i * n + j] = sum;
    }
}

real solve(const real *a, const real *b, int n, int steps)
{
    cublasHandle_t handle;
    real *d_a, *m, *x, *r, *p, *q;
    const real one = 1, zero = 0;
    size_t bytes = n * sizeof(real);
    cublasCreate(&handle);
    cudaMalloc(&d_a, n * bytes);
    cudaMalloc(&m, n * bytes);
    cudaMalloc(&x, bytes);
    cudaMalloc(&r, bytes);
    cudaMalloc(&p, bytes);
    cudaMalloc(&q, bytes);
    cudaMemcpy(d_a, a, n * bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(r, b, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(p, r, bytes, cudaMemcpyDeviceToDevice);
    cudaMemset(x, 0, bytes);
    normal_matrix<<<dim3((n + 7) / 8, n), 8>>>(m, d_a, n);
    real rho, norm = 0, total = 0;
    BLAS_dot(handle, n, r, 1, r, 1, &rho);
    for (int k = 0; k < steps; k++) {
        real curvature, next;
        BLAS_gemv(handle, CUBLAS_OP_N, n, n, &one, m, n, p, 1, &zero, q, 1);
        BLAS_dot(handle, n, p, 1, q, 1, &curvature);
        real alpha = rho / curvature, back = -alpha;
        BLAS_axpy(handle, n, &alpha, p, 1, x, 1);
        BLAS_axpy(handle, n, &back, q, 1, r, 1);
        BLAS_dot(handle, n, r, 1, r, 1, &next);
        real beta = next / rho;
        BLAS_scal(handle, n, &beta, p, 1);
        BLAS_axpy(handle, n, &one, r, 1, p, 1);
        rho = next;
        if (k % 4 == 1) {
            BLAS_asum(handle, n, x, 1, &norm);
            total += norm * norm;
        }
    }
    BLAS_nrm2(handle, n, x, 1, &norm);
    cublasDestroy(handle);
    cudaFree(d_a);
    cudaFree(m);
    cudaFree(x);
    cudaFree(r);
    cudaFree(p);
    cudaFree(q);
    return norm + (real)0.1 * total;
}
