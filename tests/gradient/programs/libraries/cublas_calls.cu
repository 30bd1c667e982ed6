/*---
function = "multiply"
wrt = ["a", "b", "c", "alpha", "beta"]
of = ["c"]
[inputs]
a = { shape = [3, 7, 8], random = 1 }
b = { shape = [3, 7, 8], random = 2 }
c = { shape = [3, 9, 9], random = 3 }
m = 5
n = 4
k = 6
ta = 0
tb = 0
alpha = 1.3
beta = 0.7

[[cases]]
name = "gemm_nn"

[[cases]]
name = "gemm_tn"
inputs = { ta = 1 }

[[cases]]
name = "gemm_nt"
inputs = { tb = 1 }

[[cases]]
name = "gemm_tt"
inputs = { ta = 1, tb = 2 }

[[cases]]
name = "gemm_no_depth"
inputs = { k = 0 }

[[cases]]
name = "gemm_nothing"
inputs = { m = 0 }

[[cases]]
name = "vectors"
function = "vectors"
of = ["c", "numbers"]
[cases.inputs]
numbers = { zeros = [3] }
---*/
// cuBLAS calls one by one: strides of matrices in a batch, leading dimensions larger than the matrices, increments of
// either sign, scalars that are differentiated themselves, outputs that are read and ones that are not.
#include <cublas_v2.h>

void multiply(double *c, const double *a, const double *b, int m, int n, int k, int ta, int tb, double alpha,
              double beta)
{
    cublasHandle_t handle;
    double *d_a, *d_b, *d_c;
    cublasCreate(&handle);
    cudaMalloc((void **)&d_a, 3 * 56 * sizeof(double));
    cudaMalloc((void **)&d_b, 3 * 56 * sizeof(double));
    cudaMalloc((void **)&d_c, 3 * 81 * sizeof(double));
    cudaMemcpy(d_a, a, 3 * 56 * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b, 3 * 56 * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_c, c, 3 * 81 * sizeof(double), cudaMemcpyHostToDevice);
    cublasOperation_t opa = (cublasOperation_t)ta, opb = (cublasOperation_t)tb;
    cublasDgemmStridedBatched(handle, opa, opb, m, n, k, &alpha, d_a, 7, 56, d_b, 8, 53, &beta, d_c, 9, 81, 3);
    cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, n, &beta, d_c, 9, d_b, 8, &alpha, d_c + 81, 9);
    cudaMemcpy(c, d_c, 3 * 81 * sizeof(double), cudaMemcpyDeviceToHost);
    cublasDestroy(handle);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
}

void vectors(double *c, double *numbers, const double *a, const double *b, int m, int n, int k, int ta, int tb,
             double alpha, double beta)
{
    cublasHandle_t handle;
    double *x, *y, *d_c;
    cublasCreate(&handle);
    cudaMalloc((void **)&x, 3 * 56 * sizeof(double));
    cudaMalloc((void **)&y, 3 * 56 * sizeof(double));
    cudaMalloc((void **)&d_c, 3 * 81 * sizeof(double));
    cublasSetVector(3 * 56, sizeof(double), a, 1, x, 1);
    cublasSetVector(3 * 56, sizeof(double), b, 1, y, 1);
    cublasSetVector(3 * 81, sizeof(double), c, 1, d_c, 1);
    cublasDdot(handle, m, x, 2, y + 3, -1, &numbers[0]);
    cublasDnrm2(handle, n, x + 1, 3, &numbers[1]);
    cublasDasum(handle, k, y, 2, &numbers[2]);
    cublasDaxpy(handle, 17, &numbers[1], x, -2, y, 1);
    cublasDswap(handle, 11, x, 1, y + 20, 2);
    cublasDscal(handle, 9, &alpha, y, 3);
    cublasDcopy(handle, 6, y, 2, d_c + 100, 1);
    cublasDger(handle, m, n, &beta, x, 1, y, -2, d_c, 9);
    cublasDgemv(handle, CUBLAS_OP_N, m, n, &alpha, d_c, 9, x, 1, &beta, y, 1);
    cublasDgemv(handle, CUBLAS_OP_T, m, n, &numbers[0], d_c, 9, y, -1, &beta, d_c + 150, 2);
    cublasGetVector(3 * 81, sizeof(double), d_c, 1, c, 1);
    cublasDestroy(handle);
    cudaFree(x);
    cudaFree(y);
    cudaFree(d_c);
}
