/*---
function = "layers"
wrt = ["w", "x", "factors"]
of = ["x"]
[inputs]
w = { shape = [120], random = 1 }
x = { shape = [150], random = 2 }
factors = { shape = [8], random_uniform = 3, low = 0.3, high = 0.9 }
steps = 2

[[cases]]
name = "double"

[[cases]]
name = "without_beta"
inputs = { factors = { values = [0.7, 0, 0.4, 0, 0.6, 0, 0.8, 0] } }
wrt = ["w", "x"]

[[cases]]
name = "float"
defines = { real = "float", BLAS_gemv = "cublasSgemv", BLAS_ger = "cublasSger", BLAS_gemm = "cublasSgemm", BLAS_batch = "cublasSgemmStridedBatched", BLAS_axpy = "cublasSaxpy", BLAS_dot = "cublasSdot", BLAS_scal = "cublasSscal" }
[cases.gradcheck]
rtol = 2e-2
---*/
// Factors of products in device memory, with respect to which there are gradients too; the mode of the handle changes and
// is put back, in a helper as well.
#include <cublas_v2.h>

#ifndef real
#define real double
#define BLAS_gemv cublasDgemv
#define BLAS_ger cublasDger
#define BLAS_gemm cublasDgemm
#define BLAS_batch cublasDgemmStridedBatched
#define BLAS_axpy cublasDaxpy
#define BLAS_dot cublasDdot
#define BLAS_scal cublasDscal
#endif

__global__ void squash(real *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = x[i] / (1 + x[i] * x[i]);
}

// The square of the norm, to the host, whatever the mode of the handle is.
static real square(cublasHandle_t handle, const real *x, int n)
{
    cublasPointerMode_t before;
    real sum;
    cublasGetPointerMode(handle, &before);
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
    BLAS_dot(handle, n, x, 1, x, 1, &sum);
    cublasSetPointerMode(handle, before);
    return sum;
}

void layers(real *x, const real *w, real *factors, int steps)
{
    cublasHandle_t handle;
    real *d_x, *d_w, *f;
    cublasCreate(&handle);
    cudaMalloc(&d_x, 150 * sizeof(real));
    cudaMalloc(&d_w, 120 * sizeof(real));
    cudaMalloc(&f, 8 * sizeof(real));
    cudaMemcpy(d_x, x, 150 * sizeof(real), cudaMemcpyHostToDevice);
    cudaMemcpy(d_w, w, 120 * sizeof(real), cudaMemcpyHostToDevice);
    cudaMemcpy(f, factors, 8 * sizeof(real), cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; t++) {
        cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
        BLAS_gemv(handle, CUBLAS_OP_N, 5, 4, f, d_w, 6, d_x, 1, f + 1, d_x + 10, 2);
        BLAS_gemv(handle, CUBLAS_OP_T, 5, 4, f + 2, d_w + 30, 5, d_x + 10, 2, f + 3, d_x + 20, -1);
        BLAS_ger(handle, 4, 3, f + 4, d_x, 1, d_x + 20, 1, d_w + 60, 5);
        BLAS_gemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, 4, 3, 5, f + 6, d_w, 4, d_x, 3, f + 7, d_x + 30, 5);
        BLAS_gemm(handle, CUBLAS_OP_T, CUBLAS_OP_N, 3, 4, 2, f + 2, d_w + 60, 2, d_x + 30, 2, f + 1, d_x + 50, 3);
        BLAS_batch(handle, CUBLAS_OP_N, CUBLAS_OP_N, 3, 2, 4, f, d_w + 40, 3, 12, d_x, 4, 0, f + 5, d_x + 70, 3, 7, 3);
        BLAS_batch(handle, CUBLAS_OP_T, CUBLAS_OP_T, 2, 3, 3, f + 4, d_w + 20, 3, 9, d_x + 70, 3, 9, f + 7, d_x + 100, 2, 6, 2);
        real size = square(handle, d_x + 70, 60);
        BLAS_axpy(handle, 30, f + 4, d_x + 70, 1, d_x, 1);
        BLAS_scal(handle, 8, d_x + 149, f, 1);
        cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
        const real share = 1 / (1 + size);
        BLAS_axpy(handle, 30, &share, d_x + 100, 1, d_x, 1);
        squash<<<3, 64>>>(d_x, 149);
    }
    cudaMemcpy(x, d_x, 150 * sizeof(real), cudaMemcpyDeviceToHost);
    cublasDestroy(handle);
    cudaFree(d_x);
    cudaFree(d_w);
    cudaFree(f);
}
