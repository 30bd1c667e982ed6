__global__ static void blas_real_axpy(int n, real alpha, const real *x, int incx, real *y, int incy)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[blas_at(i, n, incy)] += alpha * x[blas_at(i, n, incx)];
}

static cublasStatus_t cublasRaxpy(cublasHandle_t handle, int n, const real *alpha, const real *x, int incx, real *y,
                                  int incy)
{
    const real factor = *alpha;
    if (n > 0)
        blas_real_axpy<<<(n + 255) / 256, 256, 0, blas_stream(handle)>>>(n, factor, x, incx, y, incy);
    return CUBLAS_STATUS_SUCCESS;
}

__global__ static void blas_real_scal(int n, real alpha, real *x, int incx)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[(long long)i * incx] *= alpha;
}

static cublasStatus_t cublasRscal(cublasHandle_t handle, int n, const real *alpha, real *x, int incx)
{
    const real factor = *alpha;
    if (n > 0 && incx > 0)
        blas_real_scal<<<(n + 255) / 256, 256, 0, blas_stream(handle)>>>(n, factor, x, incx);
    return CUBLAS_STATUS_SUCCESS;
}

__global__ static void blas_real_copy(int n, const real *x, int incx, real *y, int incy)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[blas_at(i, n, incy)] = x[blas_at(i, n, incx)];
}

static cublasStatus_t cublasRcopy(cublasHandle_t handle, int n, const real *x, int incx, real *y, int incy)
{
    if (n > 0)
        blas_real_copy<<<(n + 255) / 256, 256, 0, blas_stream(handle)>>>(n, x, incx, y, incy);
    return CUBLAS_STATUS_SUCCESS;
}

__global__ static void blas_real_swap(int n, real *x, int incx, real *y, int incy)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        real kept = x[blas_at(i, n, incx)];
        x[blas_at(i, n, incx)] = y[blas_at(i, n, incy)];
        y[blas_at(i, n, incy)] = kept;
    }
}

static cublasStatus_t cublasRswap(cublasHandle_t handle, int n, real *x, int incx, real *y, int incy)
{
    if (n > 0)
        blas_real_swap<<<(n + 255) / 256, 256, 0, blas_stream(handle)>>>(n, x, incx, y, incy);
    return CUBLAS_STATUS_SUCCESS;
}

// One block, so that the order of the sum is fixed.
__global__ static void blas_real_dot(int n, const real *x, int incx, const real *y, int incy, real *result)
{
    __shared__ real part[256];
    int t = threadIdx.x;
    real sum = 0;
    for (int i = t; i < n; i += 256)
        sum += x[blas_at(i, n, incx)] * y[blas_at(i, n, incy)];
    part[t] = sum;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0)
        *result = part[0];
}

static cublasStatus_t cublasRdot(cublasHandle_t handle, int n, const real *x, int incx, const real *y, int incy,
                                 real *result)
{
    real *sum;
    *result = 0;
    if (n <= 0)
        return CUBLAS_STATUS_SUCCESS;
    if (cudaMalloc((void **)&sum, sizeof(real)) != cudaSuccess)
        return CUBLAS_STATUS_ALLOC_FAILED;
    blas_real_dot<<<1, 256, 0, blas_stream(handle)>>>(n, x, incx, y, incy, sum);
    cudaMemcpyAsync(result, sum, sizeof(real), cudaMemcpyDeviceToHost, blas_stream(handle));
    cudaStreamSynchronize(blas_stream(handle));
    cudaFree(sum);
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t cublasRnrm2(cublasHandle_t handle, int n, const real *x, int incx, real *result)
{
    real square;
    *result = 0;
    if (n <= 0 || incx <= 0)
        return CUBLAS_STATUS_SUCCESS;
    cublasRdot(handle, n, x, incx, x, incx, &square);
    if (square > 0)
        *result = sqrt(square);
    return CUBLAS_STATUS_SUCCESS;
}

__global__ static void blas_real_asum(int n, const real *x, int incx, real *result)
{
    __shared__ real part[256];
    int t = threadIdx.x;
    real sum = 0;
    for (int i = t; i < n; i += 256)
        sum += fabs(x[(long long)i * incx]);
    part[t] = sum;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0)
        *result = part[0];
}

static cublasStatus_t cublasRasum(cublasHandle_t handle, int n, const real *x, int incx, real *result)
{
    real *sum;
    *result = 0;
    if (n <= 0 || incx <= 0)
        return CUBLAS_STATUS_SUCCESS;
    if (cudaMalloc((void **)&sum, sizeof(real)) != cudaSuccess)
        return CUBLAS_STATUS_ALLOC_FAILED;
    blas_real_asum<<<1, 256, 0, blas_stream(handle)>>>(n, x, incx, sum);
    cudaMemcpyAsync(result, sum, sizeof(real), cudaMemcpyDeviceToHost, blas_stream(handle));
    cudaStreamSynchronize(blas_stream(handle));
    cudaFree(sum);
    return CUBLAS_STATUS_SUCCESS;
}

// y = alpha op(A) x + beta y, of which y has `rows` elements; element (i, k) of op(A) is A[i * down + k * along].
__global__ static void blas_real_gemv(int rows, int columns, real alpha, const real *a, long long down,
                                      long long along, const real *x, int incx, real beta, real *y, int incy)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows)
        return;
    real sum = 0;
    for (int k = 0; k < columns; k++)
        sum += a[i * down + k * along] * x[blas_at(k, columns, incx)];
    if (beta == 0) // y is not read then: it may hold anything
        y[blas_at(i, rows, incy)] = alpha * sum;
    else
        y[blas_at(i, rows, incy)] = alpha * sum + beta * y[blas_at(i, rows, incy)];
}

static cublasStatus_t cublasRgemv(cublasHandle_t handle, cublasOperation_t trans, int m, int n, const real *alpha,
                                  const real *a, int lda, const real *x, int incx, const real *beta, real *y, int incy)
{
    const real factor = *alpha, kept = *beta;
    if (m < 0 || n < 0 || lda < m || lda < 1 || incx == 0 || incy == 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (m == 0 || n == 0)
        return CUBLAS_STATUS_SUCCESS;
    int rows = trans == CUBLAS_OP_N ? m : n, columns = trans == CUBLAS_OP_N ? n : m;
    long long down = trans == CUBLAS_OP_N ? 1 : lda, along = trans == CUBLAS_OP_N ? lda : 1;
    blas_real_gemv<<<(rows + 127) / 128, 128, 0, blas_stream(handle)>>>(rows, columns, factor, a, down, along, x, incx,
                                                                        kept, y, incy);
    return CUBLAS_STATUS_SUCCESS;
}

__global__ static void blas_real_ger(int m, int n, real alpha, const real *x, int incx, const real *y, int incy,
                                     real *a, int lda)
{
    long long k = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (k < (long long)m * n) {
        int i = k % m, j = k / m;
        a[i + (long long)j * lda] += alpha * x[blas_at(i, m, incx)] * y[blas_at(j, n, incy)];
    }
}

static cublasStatus_t cublasRger(cublasHandle_t handle, int m, int n, const real *alpha, const real *x, int incx,
                                 const real *y, int incy, real *a, int lda)
{
    const real factor = *alpha;
    if (m < 0 || n < 0 || lda < m || lda < 1 || incx == 0 || incy == 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (m > 0 && n > 0)
        blas_real_ger<<<((long long)m * n + 255) / 256, 256, 0, blas_stream(handle)>>>(m, n, factor, x, incx, y, incy,
                                                                                       a, lda);
    return CUBLAS_STATUS_SUCCESS;
}

// C = alpha op(A) op(B) + beta C, a matrix for each blockIdx.y; element (i, k) of op(A) is A[i * a_down + k * a_along].
__global__ static void blas_real_gemm(int m, int n, int depth, real alpha, const real *a, long long a_down,
                                      long long a_along, long long a_next, const real *b, long long b_down,
                                      long long b_along, long long b_next, real beta, real *c, int ldc,
                                      long long c_next)
{
    long long cell = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (cell >= (long long)m * n)
        return;
    int i = cell % m, j = cell / m;
    long long first_a = blockIdx.y * a_next + i * a_down, first_b = blockIdx.y * b_next + j * b_along;
    long long at = blockIdx.y * c_next + i + (long long)j * ldc;
    real sum = 0;
    for (int k = 0; k < depth; k++)
        sum += a[first_a + k * a_along] * b[first_b + k * b_down];
    if (beta == 0) // C is not read then: it may hold anything
        c[at] = alpha * sum;
    else
        c[at] = alpha * sum + beta * c[at];
}

static cublasStatus_t cublasRgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
                                                cublasOperation_t transb, int m, int n, int k, const real *alpha,
                                                const real *a, int lda, long long strideA, const real *b, int ldb,
                                                long long strideB, const real *beta, real *c, int ldc,
                                                long long strideC, int batchCount)
{
    const real factor = *alpha, kept = *beta;
    int a_plain = transa == CUBLAS_OP_N, b_plain = transb == CUBLAS_OP_N;
    if (m < 0 || n < 0 || k < 0 || batchCount < 0 || lda < 1 || lda < (a_plain ? m : k) || ldb < 1
        || ldb < (b_plain ? k : n) || ldc < m || ldc < 1)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (m == 0 || n == 0 || batchCount == 0)
        return CUBLAS_STATUS_SUCCESS;
    dim3 grid((unsigned)(((long long)m * n + 127) / 128), batchCount);
    blas_real_gemm<<<grid, 128, 0, blas_stream(handle)>>>(m, n, k, factor, a, a_plain ? 1 : lda, a_plain ? lda : 1,
                                                          strideA, b, b_plain ? 1 : ldb, b_plain ? ldb : 1, strideB,
                                                          kept, c, ldc, strideC);
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t cublasRgemm(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                                  int n, int k, const real *alpha, const real *a, int lda, const real *b, int ldb,
                                  const real *beta, real *c, int ldc)
{
    return cublasRgemmStridedBatched(handle, transa, transb, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1);
}
