// Tangents of the routines, by these routines themselves, which are linear in each of their factors.  `dot_x` is the
// tangent of x; whether it is NULL, or 0 for a number, is known before the program runs, and means that there is none.

static void blas_real_axpy_tangent(cublasHandle_t handle, int n, real alpha, const real *x, int incx, int incy,
                                   real dot_alpha, const real *dot_x, real *dot_y)
{
    if (dot_y != NULL) {
        if (dot_x != NULL)
            blas_real_axpy<<<(n + 255) / 256, 256>>>(handle, n, alpha, dot_x, incx, dot_y, incy);
        if (dot_alpha != 0)
            blas_real_axpy<<<(n + 255) / 256, 256>>>(handle, n, dot_alpha, x, incx, dot_y, incy);
    }
}

static void blas_real_axpy_at_tangent(cublasHandle_t handle, int n, const real *alpha, const real *x, int incx, int incy,
                                      const real *dot_alpha, const real *dot_x, real *dot_y)
{
    if (dot_y != NULL) {
        if (dot_x != NULL)
            blas_real_axpy_at<<<(n + 255) / 256, 256>>>(handle, n, alpha, dot_x, incx, dot_y, incy);
        if (dot_alpha != NULL)
            blas_real_axpy_at<<<(n + 255) / 256, 256>>>(handle, n, dot_alpha, x, incx, dot_y, incy);
    }
}

static void blas_real_scal_tangent(cublasHandle_t handle, int n, real alpha, real *x, int incx, real dot_alpha,
                                   real *dot_x)
{
    if (dot_x != NULL) {
        blas_real_scal<<<(n + 255) / 256, 256>>>(handle, n, alpha, dot_x, incx);
        if (dot_alpha != 0)
            blas_real_axpy<<<(n + 255) / 256, 256>>>(handle, n, dot_alpha, x, incx, dot_x, incx);
    }
}

static void blas_real_scal_at_tangent(cublasHandle_t handle, int n, const real *alpha, real *x, int incx,
                                      const real *dot_alpha, real *dot_x)
{
    if (dot_x != NULL) {
        blas_real_scal_at<<<(n + 255) / 256, 256>>>(handle, n, alpha, dot_x, incx);
        if (dot_alpha != NULL)
            blas_real_axpy_at<<<(n + 255) / 256, 256>>>(handle, n, dot_alpha, x, incx, dot_x, incx);
    }
}

static void blas_real_copy_tangent(cublasHandle_t handle, int n, int incx, int incy, const real *dot_x, real *dot_y)
{
    if (dot_y != NULL) {
        if (dot_x != NULL)
            blas_real_copy<<<(n + 255) / 256, 256>>>(handle, n, dot_x, incx, dot_y, incy);
        else
            blas_real_scale_vector<<<(n + 255) / 256, 256>>>(n, 0, dot_y, incy);
    }
}

static void blas_real_swap_tangent(cublasHandle_t handle, int n, int incx, int incy, real *dot_x, real *dot_y)
{
    if (dot_x != NULL && dot_y != NULL) {
        blas_real_swap<<<(n + 255) / 256, 256>>>(handle, n, dot_x, incx, dot_y, incy);
    } else {
        if (dot_x != NULL)
            blas_real_scale_vector<<<(n + 255) / 256, 256>>>(n, 0, dot_x, incx);
        if (dot_y != NULL)
            blas_real_scale_vector<<<(n + 255) / 256, 256>>>(n, 0, dot_y, incy);
    }
}

static void blas_real_dot_tangent(cublasHandle_t handle, int n, const real *x, int incx, const real *y, int incy,
                                  const real *dot_x, const real *dot_y, real *dot_result)
{
    if (dot_result != NULL) {
        if (dot_x != NULL)
            blas_real_dot<<<1, 256>>>(handle, n, dot_x, incx, y, incy, dot_result);
        if (dot_y != NULL) {
            if (dot_x == NULL) {
                blas_real_dot<<<1, 256>>>(handle, n, x, incx, dot_y, incy, dot_result);
            } else {
                real *more;
                cudaMalloc((void **)&more, sizeof(real));
                blas_real_dot<<<1, 256>>>(handle, n, x, incx, dot_y, incy, more);
                blas_real_axpy<<<1, 256>>>(handle, 1, 1, more, 1, dot_result, 1);
                cudaFree(more);
            }
        }
        if (dot_x == NULL)
            if (dot_y == NULL)
                blas_real_clear<<<1, 1>>>(dot_result);
    }
}

// The norm of nothing but zeros is taken for a constant.
__global__ static void blas_real_over_norm(real *dot_result, const real *norm)
{
    *dot_result = *norm > 0 ? *dot_result / *norm : 0;
}

static void blas_real_nrm2_tangent(cublasHandle_t handle, int n, const real *x, int incx, const real *dot_x,
                                   real *dot_result)
{
    if (dot_result != NULL) {
        if (dot_x != NULL) {
            real *norm;
            cudaMalloc((void **)&norm, sizeof(real));
            blas_real_nrm2<<<1, 256>>>(handle, n, x, incx, norm);
            blas_real_dot<<<1, 256>>>(handle, n, x, incx, dot_x, incx, dot_result);
            blas_real_over_norm<<<1, 1>>>(dot_result, norm);
            cudaFree(norm);
        } else {
            blas_real_clear<<<1, 1>>>(dot_result);
        }
    }
}

__global__ static void blas_real_signs(int n, const real *x, int incx, real *signs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        signs[i] = x[(long long)i * incx] > 0 ? 1 : x[(long long)i * incx] < 0 ? -1 : 0;
}

static void blas_real_asum_tangent(cublasHandle_t handle, int n, const real *x, int incx, const real *dot_x,
                                   real *dot_result)
{
    if (dot_result != NULL) {
        if (dot_x != NULL) {
            real *signs;
            cudaMalloc((void **)&signs, n * sizeof(real));
            blas_real_signs<<<(n + 255) / 256, 256>>>(n, x, incx, signs);
            blas_real_dot<<<1, 256>>>(handle, n, signs, 1, dot_x, incx, dot_result);
            cudaFree(signs);
        } else {
            blas_real_clear<<<1, 1>>>(dot_result);
        }
    }
}

static void blas_real_gemv_tangent(cublasHandle_t handle, cublasOperation_t trans, int m, int n, real alpha,
                                   const real *a, int lda, const real *x, int incx, real beta, real *y, int incy,
                                   real dot_alpha, const real *dot_a, const real *dot_x, real dot_beta, real *dot_y)
{
    if (dot_y != NULL) {
        int rows = trans == CUBLAS_OP_N ? m : n;
        if (dot_a != NULL)
            blas_real_gemv<<<(m + n + 127) / 128, 128>>>(handle, trans, m, n, alpha, dot_a, lda, x, incx, beta, dot_y,
                                                         incy);
        else if (beta != 1)
            blas_real_scale_vector<<<(rows + 255) / 256, 256>>>(rows, beta, dot_y, incy);
        if (dot_x != NULL)
            blas_real_gemv<<<(m + n + 127) / 128, 128>>>(handle, trans, m, n, alpha, a, lda, dot_x, incx, 1, dot_y,
                                                         incy);
        if (dot_alpha != 0)
            blas_real_gemv<<<(m + n + 127) / 128, 128>>>(handle, trans, m, n, dot_alpha, a, lda, x, incx, 1, dot_y,
                                                         incy);
        if (dot_beta != 0)
            if (beta != 0)
                blas_real_axpy<<<(rows + 255) / 256, 256>>>(handle, rows, dot_beta, y, incy, dot_y, incy);
    }
}

// y = *beta y + *dot_beta old; where *beta is 0, neither is read.
__global__ static void blas_real_keep_at(int rows, int columns, const real *beta, real *y, const real *dot_beta,
                                         const real *old, int ld, long long next, int count)
{
    long long cell = blockIdx.x * (long long)blockDim.x + threadIdx.x, size = (long long)rows * columns;
    if (cell < size * count) {
        long long at = cell / size * next + cell % size % rows + cell % size / rows * ld;
        y[at] = *beta == 0 ? 0 : *beta * y[at] + *dot_beta * old[at];
    }
}

__global__ static void blas_real_keep_vector_at(int n, const real *beta, real *y, const real *dot_beta, const real *old,
                                                int inc)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[blas_at(i, n, inc)] = *beta == 0 ? 0 : *beta * y[blas_at(i, n, inc)] + *dot_beta * old[blas_at(i, n, inc)];
}

static void blas_real_gemv_at_tangent(cublasHandle_t handle, cublasOperation_t trans, int m, int n, const real *alpha,
                                      const real *a, int lda, const real *x, int incx, const real *beta, real *y,
                                      int incy, const real *dot_alpha, const real *dot_a, const real *dot_x,
                                      const real *dot_beta, real *dot_y)
{
    if (dot_y != NULL) {
        int rows = trans == CUBLAS_OP_N ? m : n;
        if (dot_beta != NULL)
            blas_real_keep_vector_at<<<(rows + 255) / 256, 256>>>(rows, beta, dot_y, dot_beta, y, incy);
        else
            blas_real_scale_vector_at<<<(rows + 255) / 256, 256>>>(rows, beta, dot_y, incy);
        if (dot_alpha != NULL || dot_a != NULL || dot_x != NULL) {
            real *product;
            cudaMalloc((void **)&product, rows * sizeof(real));
            if (dot_a != NULL) {
                blas_real_gemv<<<(m + n + 127) / 128, 128>>>(handle, trans, m, n, 1, dot_a, lda, x, incx, 0, product, 1);
                blas_real_axpy_at<<<(rows + 255) / 256, 256>>>(handle, rows, alpha, product, 1, dot_y, incy);
            }
            if (dot_x != NULL) {
                blas_real_gemv<<<(m + n + 127) / 128, 128>>>(handle, trans, m, n, 1, a, lda, dot_x, incx, 0, product, 1);
                blas_real_axpy_at<<<(rows + 255) / 256, 256>>>(handle, rows, alpha, product, 1, dot_y, incy);
            }
            if (dot_alpha != NULL) {
                blas_real_gemv<<<(m + n + 127) / 128, 128>>>(handle, trans, m, n, 1, a, lda, x, incx, 0, product, 1);
                blas_real_axpy_at<<<(rows + 255) / 256, 256>>>(handle, rows, dot_alpha, product, 1, dot_y, incy);
            }
            cudaFree(product);
        }
    }
}

static void blas_real_ger_tangent(cublasHandle_t handle, int m, int n, real alpha, const real *x, int incx,
                                  const real *y, int incy, int lda, real dot_alpha, const real *dot_x,
                                  const real *dot_y, real *dot_a)
{
    if (dot_a != NULL) {
        if (dot_x != NULL)
            blas_real_ger<<<((long long)m * n + 255) / 256, 256>>>(handle, m, n, alpha, dot_x, incx, y, incy, dot_a,
                                                                   lda);
        if (dot_y != NULL)
            blas_real_ger<<<((long long)m * n + 255) / 256, 256>>>(handle, m, n, alpha, x, incx, dot_y, incy, dot_a,
                                                                   lda);
        if (dot_alpha != 0)
            blas_real_ger<<<((long long)m * n + 255) / 256, 256>>>(handle, m, n, dot_alpha, x, incx, y, incy, dot_a,
                                                                   lda);
    }
}

static void blas_real_ger_at_tangent(cublasHandle_t handle, int m, int n, const real *alpha, const real *x, int incx,
                                     const real *y, int incy, int lda, const real *dot_alpha, const real *dot_x,
                                     const real *dot_y, real *dot_a)
{
    if (dot_a != NULL) {
        if (dot_x != NULL)
            blas_real_ger_at<<<((long long)m * n + 255) / 256, 256>>>(handle, m, n, alpha, dot_x, incx, y, incy, dot_a,
                                                                      lda);
        if (dot_y != NULL)
            blas_real_ger_at<<<((long long)m * n + 255) / 256, 256>>>(handle, m, n, alpha, x, incx, dot_y, incy, dot_a,
                                                                      lda);
        if (dot_alpha != NULL)
            blas_real_ger_at<<<((long long)m * n + 255) / 256, 256>>>(handle, m, n, dot_alpha, x, incx, y, incy, dot_a,
                                                                      lda);
    }
}

// Matrices, one every `next` numbers, plus a number times others that lie in the same way.
__global__ static void blas_real_add_matrices(int rows, int columns, real factor, const real *a, real *c, int ld,
                                              long long next, int count)
{
    long long cell = blockIdx.x * (long long)blockDim.x + threadIdx.x, size = (long long)rows * columns;
    if (cell < size * count) {
        long long at = cell / size * next + cell % size % rows + cell % size / rows * ld;
        c[at] += factor * a[at];
    }
}

// Matrices plus *factor times others that lie one behind the other.
__global__ static void blas_real_add_packed_at(int rows, int columns, const real *factor, const real *a, real *c, int ldc,
                                               long long next, int count)
{
    long long cell = blockIdx.x * (long long)blockDim.x + threadIdx.x, size = (long long)rows * columns;
    if (cell < size * count)
        c[cell / size * next + cell % size % rows + cell % size / rows * ldc] += *factor * a[cell];
}

static void blas_real_gemm_tangent(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                                   int n, int k, real alpha, const real *a, int lda, const real *b, int ldb, real beta,
                                   real *c, int ldc, real dot_alpha, const real *dot_a, const real *dot_b,
                                   real dot_beta, real *dot_c)
{
    if (dot_c != NULL) {
        if (dot_a != NULL)
            blas_real_gemm<<<((long long)m * n + 127) / 128, 128>>>(handle, transa, transb, m, n, k, alpha, dot_a, lda,
                                                                    b, ldb, beta, dot_c, ldc);
        else if (beta != 1)
            blas_real_scale<<<((long long)m * n + 255) / 256, 256>>>(m, n, beta, dot_c, ldc, 0, 1);
        if (dot_b != NULL)
            blas_real_gemm<<<((long long)m * n + 127) / 128, 128>>>(handle, transa, transb, m, n, k, alpha, a, lda,
                                                                    dot_b, ldb, 1, dot_c, ldc);
        if (dot_alpha != 0)
            blas_real_gemm<<<((long long)m * n + 127) / 128, 128>>>(handle, transa, transb, m, n, k, dot_alpha, a, lda,
                                                                    b, ldb, 1, dot_c, ldc);
        if (dot_beta != 0)
            if (beta != 0)
                blas_real_add_matrices<<<((long long)m * n + 255) / 256, 256>>>(m, n, dot_beta, c, dot_c, ldc, 0, 1);
    }
}

static void blas_real_gemm_at_tangent(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                                      int n, int k, const real *alpha, const real *a, int lda, const real *b, int ldb,
                                      const real *beta, real *c, int ldc, const real *dot_alpha, const real *dot_a,
                                      const real *dot_b, const real *dot_beta, real *dot_c)
{
    if (dot_c != NULL) {
        if (dot_beta != NULL)
            blas_real_keep_at<<<((long long)m * n + 255) / 256, 256>>>(m, n, beta, dot_c, dot_beta, c, ldc, 0, 1);
        else
            blas_real_scale_at<<<((long long)m * n + 255) / 256, 256>>>(m, n, beta, dot_c, ldc, 0, 1);
        if (dot_alpha != NULL || dot_a != NULL || dot_b != NULL) {
            real *product;
            cudaMalloc((void **)&product, (size_t)m * n * sizeof(real));
            if (dot_a != NULL) {
                blas_real_gemm<<<((long long)m * n + 127) / 128, 128>>>(handle, transa, transb, m, n, k, 1, dot_a, lda,
                                                                        b, ldb, 0, product, m);
                blas_real_add_packed_at<<<((long long)m * n + 255) / 256, 256>>>(m, n, alpha, product, dot_c, ldc, 0,
                                                                                 1);
            }
            if (dot_b != NULL) {
                blas_real_gemm<<<((long long)m * n + 127) / 128, 128>>>(handle, transa, transb, m, n, k, 1, a, lda,
                                                                        dot_b, ldb, 0, product, m);
                blas_real_add_packed_at<<<((long long)m * n + 255) / 256, 256>>>(m, n, alpha, product, dot_c, ldc, 0,
                                                                                 1);
            }
            if (dot_alpha != NULL) {
                blas_real_gemm<<<((long long)m * n + 127) / 128, 128>>>(handle, transa, transb, m, n, k, 1, a, lda, b,
                                                                        ldb, 0, product, m);
                blas_real_add_packed_at<<<((long long)m * n + 255) / 256, 256>>>(m, n, dot_alpha, product, dot_c, ldc,
                                                                                 0, 1);
            }
            cudaFree(product);
        }
    }
}

static void blas_real_gemm_batch_tangent(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                         int m, int n, int k, real alpha, const real *a, int lda, long long a_next,
                                         const real *b, int ldb, long long b_next, real beta, real *c, int ldc,
                                         long long c_next, int count, real dot_alpha, const real *dot_a,
                                         const real *dot_b, real dot_beta, real *dot_c)
{
    if (dot_c != NULL) {
        if (dot_a != NULL)
            blas_real_gemm_batch<<<((long long)m * n * count + 127) / 128, 128>>>(
                handle, transa, transb, m, n, k, alpha, dot_a, lda, a_next, b, ldb, b_next, beta, dot_c, ldc, c_next,
                count);
        else if (beta != 1)
            blas_real_scale<<<((long long)m * n * count + 255) / 256, 256>>>(m, n, beta, dot_c, ldc, c_next, count);
        if (dot_b != NULL)
            blas_real_gemm_batch<<<((long long)m * n * count + 127) / 128, 128>>>(
                handle, transa, transb, m, n, k, alpha, a, lda, a_next, dot_b, ldb, b_next, 1, dot_c, ldc, c_next,
                count);
        if (dot_alpha != 0)
            blas_real_gemm_batch<<<((long long)m * n * count + 127) / 128, 128>>>(
                handle, transa, transb, m, n, k, dot_alpha, a, lda, a_next, b, ldb, b_next, 1, dot_c, ldc, c_next,
                count);
        if (dot_beta != 0)
            if (beta != 0)
                blas_real_add_matrices<<<((long long)m * n * count + 255) / 256, 256>>>(m, n, dot_beta, c, dot_c, ldc,
                                                                                        c_next, count);
    }
}

static void blas_real_gemm_batch_at_tangent(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                            int m, int n, int k, const real *alpha, const real *a, int lda,
                                            long long a_next, const real *b, int ldb, long long b_next,
                                            const real *beta, real *c, int ldc, long long c_next, int count,
                                            const real *dot_alpha, const real *dot_a, const real *dot_b,
                                            const real *dot_beta, real *dot_c)
{
    if (dot_c != NULL) {
        if (dot_beta != NULL)
            blas_real_keep_at<<<((long long)m * n * count + 255) / 256, 256>>>(m, n, beta, dot_c, dot_beta, c, ldc,
                                                                               c_next, count);
        else
            blas_real_scale_at<<<((long long)m * n * count + 255) / 256, 256>>>(m, n, beta, dot_c, ldc, c_next, count);
        if (dot_alpha != NULL || dot_a != NULL || dot_b != NULL) {
            long long size = (long long)m * n;
            real *product;
            cudaMalloc((void **)&product, size * count * sizeof(real));
            if (dot_a != NULL) {
                blas_real_gemm_batch<<<(size * count + 127) / 128, 128>>>(handle, transa, transb, m, n, k, 1, dot_a,
                                                                          lda, a_next, b, ldb, b_next, 0, product, m,
                                                                          size, count);
                blas_real_add_packed_at<<<(size * count + 255) / 256, 256>>>(m, n, alpha, product, dot_c, ldc, c_next,
                                                                             count);
            }
            if (dot_b != NULL) {
                blas_real_gemm_batch<<<(size * count + 127) / 128, 128>>>(handle, transa, transb, m, n, k, 1, a, lda,
                                                                          a_next, dot_b, ldb, b_next, 0, product, m,
                                                                          size, count);
                blas_real_add_packed_at<<<(size * count + 255) / 256, 256>>>(m, n, alpha, product, dot_c, ldc, c_next,
                                                                             count);
            }
            if (dot_alpha != NULL) {
                blas_real_gemm_batch<<<(size * count + 127) / 128, 128>>>(handle, transa, transb, m, n, k, 1, a, lda,
                                                                          a_next, b, ldb, b_next, 0, product, m, size,
                                                                          count);
                blas_real_add_packed_at<<<(size * count + 255) / 256, 256>>>(m, n, dot_alpha, product, dot_c, ldc,
                                                                             c_next, count);
            }
            cudaFree(product);
        }
    }
}
