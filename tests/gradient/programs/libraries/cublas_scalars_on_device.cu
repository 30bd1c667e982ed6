/*---
function = "solve"
wrt = ["a", "b"]
[inputs]
a = { shape = [14, 14], random = 1 }
b = { shape = [14], random = 2 }
n = 14
steps = 7
[gradcheck]
rtol = 1e-5

[[cases]]
name = "double"

[[cases]]
name = "checkpoints"
memory_limit = "11kB"

[[cases]]
name = "float"
defines = { real = "float", BLAS_dot = "cublasSdot", BLAS_axpy = "cublasSaxpy", BLAS_scal = "cublasSscal", BLAS_nrm2 = "cublasSnrm2", BLAS_asum = "cublasSasum", BLAS_gemv = "cublasSgemv" }
[cases.gradcheck]
rtol = 2e-2
---*/
// Conjugate gradients that never wait for the device: products, their quotients and the factors of updates stay there.
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

enum { RHO, CURVATURE, ALPHA, BACK, NEXT, BETA, ONE, ZERO, NORM, SUM, SCALARS };

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

__global__ void start(real *s)
{
    s[ONE] = 1;
    s[ZERO] = 0;
}

__global__ void step_length(real *s)
{
    s[ALPHA] = s[RHO] / s[CURVATURE];
    s[BACK] = -s[ALPHA];
}

__global__ void direction(real *s)
{
    s[BETA] = s[NEXT] / s[RHO];
    s[RHO] = s[NEXT];
}

typedef struct {
    cublasHandle_t blas;
    int n;
    real *s;
} Solver;

static void update(Solver *solver, real *x, real *r, real *p, const real *q)
{
    int n = solver->n;
    real *s = solver->s;
    BLAS_dot(solver->blas, n, p, 1, q, 1, s + CURVATURE);
    step_length<<<1, 1>>>(s);
    BLAS_axpy(solver->blas, n, s + ALPHA, p, 1, x, 1);
    BLAS_axpy(solver->blas, n, s + BACK, q, 1, r, 1);
    BLAS_dot(solver->blas, n, r, 1, r, 1, s + NEXT);
    direction<<<1, 1>>>(s);
    BLAS_scal(solver->blas, n, s + BETA, p, 1);
    BLAS_axpy(solver->blas, n, s + ONE, r, 1, p, 1);
}

real solve(const real *a, const real *b, int n, int steps)
{
    Solver solver;
    real *d_a, *m, *x, *r, *p, *q, results[2], on_host;
    size_t bytes = n * sizeof(real);
    cublasCreate(&solver.blas);
    cublasSetPointerMode(solver.blas, CUBLAS_POINTER_MODE_DEVICE);
    solver.n = n;
    cudaMalloc(&solver.s, SCALARS * sizeof(real));
    cudaMalloc(&d_a, n * bytes);
    cudaMalloc(&m, n * bytes);
    cudaMalloc(&x, bytes);
    cudaMalloc(&r, bytes);
    cudaMalloc(&p, bytes);
    cudaMalloc(&q, bytes);
    cudaMemset(solver.s, 0, SCALARS * sizeof(real));
    cudaMemcpy(d_a, a, n * bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(r, b, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(p, r, bytes, cudaMemcpyDeviceToDevice);
    cudaMemset(x, 0, bytes);
    normal_matrix<<<dim3((n + 7) / 8, n), 8>>>(m, d_a, n);
    start<<<1, 1>>>(solver.s);
    BLAS_dot(solver.blas, n, r, 1, r, 1, solver.s + RHO);
    for (int k = 0; k < steps; k++) {
        BLAS_gemv(solver.blas, CUBLAS_OP_N, n, n, solver.s + ONE, m, n, p, 1, solver.s + ZERO, q, 1);
        update(&solver, x, r, p, q);
    }
    BLAS_nrm2(solver.blas, n, x, 1, solver.s + NORM);
    BLAS_asum(solver.blas, n, x, 1, solver.s + SUM);
    cudaMemcpy(results, solver.s + NORM, 2 * sizeof(real), cudaMemcpyDeviceToHost);
    cublasSetPointerMode(solver.blas, CUBLAS_POINTER_MODE_HOST);
    BLAS_dot(solver.blas, n, x, 1, p, 1, &on_host);
    cublasDestroy(solver.blas);
    cudaFree(d_a);
    cudaFree(m);
    cudaFree(x);
    cudaFree(r);
    cudaFree(p);
    cudaFree(q);
    cudaFree(solver.s);
    return results[0] * results[1] + on_host;
}
