/*---
function = "solve"
wrt = ["a", "b"]
of = ["x"]
[inputs]
x = { zeros = [13] }
a = { shape = [13, 13], random = 1 }
b = { shape = [13], random = 2 }
n = 13
tolerance = 1e-4
[gradcheck]
rtol = 1e-5

[[cases]]
name = "double"

[[cases]]
name = "float"
defines = { real = "float", BLAS_copy = "cublasScopy", BLAS_dot = "cublasSdot", BLAS_axpy = "cublasSaxpy", BLAS_scal = "cublasSscal", BLAS_nrm2 = "cublasSnrm2", BLAS_gemv = "cublasSgemv", BLAS_gemm = "cublasSgemm" }
[cases.gradcheck]
rtol = 2e-2
---*/
// Conjugate gradients on the normal equations as one writes them with cuBLAS, checked calls, a stream of its own.
#include <cublas_v2.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef real
#define real double
#define BLAS_copy cublasDcopy
#define BLAS_dot cublasDdot
#define BLAS_axpy cublasDaxpy
#define BLAS_scal cublasDscal
#define BLAS_nrm2 cublasDnrm2
#define BLAS_gemv cublasDgemv
#define BLAS_gemm cublasDgemm
#endif

#define CUBLAS(call)                                                     \
    do {                                                                 \
        cublasStatus_t status = (call);                                  \
        if (status != CUBLAS_STATUS_SUCCESS) {                           \
            fprintf(stderr, "cuBLAS: error %d, line %d\n", status, __LINE__); \
            exit(1);                                                     \
        }                                                                \
    } while (0)

__global__ void add_to_diagonal(real *m, real value, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        m[i * n + i] += value;
}

int solve(real *x, const real *a, const real *b, int n, double tolerance)
{
    cublasHandle_t handle;
    cudaStream_t stream;
    real *d_a, *d_m, *d_x, *d_r, *d_p, *d_q;
    const real one = 1, zero = 0, minus = -1;
    CUBLAS(cublasCreate(&handle));
    cudaStreamCreate(&stream);
    CUBLAS(cublasSetStream(handle, stream));
    cudaMalloc((void **)&d_a, n * n * sizeof(real));
    cudaMalloc((void **)&d_m, n * n * sizeof(real));
    cudaMalloc((void **)&d_x, n * sizeof(real));
    cudaMalloc((void **)&d_r, n * sizeof(real));
    cudaMalloc((void **)&d_p, n * sizeof(real));
    cudaMalloc((void **)&d_q, n * sizeof(real));
    CUBLAS(cublasSetMatrix(n, n, sizeof(real), a, n, d_a, n));
    CUBLAS(cublasSetVector(n, sizeof(real), b, 1, d_q, 1));
    cudaMemset(d_x, 0, n * sizeof(real));
    // m = a a^T / n + 1, r = a b
    const real share = (real)1 / n;
    CUBLAS(BLAS_gemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &share, d_a, n, d_a, n, &zero, d_m, n));
    add_to_diagonal<<<(n + 31) / 32, 32, 0, stream>>>(d_m, one, n);
    CUBLAS(BLAS_gemv(handle, CUBLAS_OP_N, n, n, &one, d_a, n, d_q, 1, &zero, d_r, 1));
    CUBLAS(BLAS_copy(handle, n, d_r, 1, d_p, 1));
    real rho, norm;
    CUBLAS(BLAS_dot(handle, n, d_r, 1, d_r, 1, &rho));
    int k = 0;
    do {
        real curvature, next;
        CUBLAS(BLAS_gemv(handle, CUBLAS_OP_T, n, n, &one, d_m, n, d_p, 1, &zero, d_q, 1));
        CUBLAS(BLAS_dot(handle, n, d_p, 1, d_q, 1, &curvature));
        real alpha = rho / curvature, back = minus * alpha;
        CUBLAS(BLAS_axpy(handle, n, &alpha, d_p, 1, d_x, 1));
        CUBLAS(BLAS_axpy(handle, n, &back, d_q, 1, d_r, 1));
        CUBLAS(BLAS_dot(handle, n, d_r, 1, d_r, 1, &next));
        real beta = next / rho;
        CUBLAS(BLAS_scal(handle, n, &beta, d_p, 1));
        CUBLAS(BLAS_axpy(handle, n, &one, d_r, 1, d_p, 1));
        rho = next;
        CUBLAS(BLAS_nrm2(handle, n, d_r, 1, &norm));
    } while (norm > tolerance && ++k < 4);
    CUBLAS(cublasGetVector(n, sizeof(real), d_x, 1, x, 1));
    cudaStreamDestroy(stream);
    CUBLAS(cublasDestroy(handle));
    cudaFree(d_a);
    cudaFree(d_m);
    cudaFree(d_x);
    cudaFree(d_r);
    cudaFree(d_p);
    cudaFree(d_q);
    return k;
}
