__global__ static void blas_real_axpy(cublasHandle_t handle, int n, real alpha, const real *x, int incx, real *y, int incy)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[blas_at(i, n, incy)] += alpha * x[blas_at(i, n, incx)];
}

__global__ static void blas_real_axpy_at(cublasHandle_t handle, int n, const real *alpha, const real *x, int incx,
                                         real *y, int incy)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[blas_at(i, n, incy)] += *alpha * x[blas_at(i, n, incx)];
}

static cublasStatus_t cublasRaxpy(cublasHandle_t handle, int n, const real *alpha, const real *x, int incx, real *y,
                                  int incy)
{
    if (blas_on_device(handle)) {
        if (n > 0)
            blas_real_axpy_at<<<(n + 255) / 256, 256>>>(handle, n, alpha, x, incx, y, incy);
        return CUBLAS_STATUS_SUCCESS;
    }
    const real factor = *alpha;
    if (n > 0)
        blas_real_axpy<<<(n + 255) / 256, 256>>>(handle, n, factor, x, incx, y, incy);
    return CUBLAS_STATUS_SUCCESS;
}

__global__ static void blas_real_scal(cublasHandle_t handle, int n, real alpha, real *x, int incx)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[(long long)i * incx] *= alpha;
}

__global__ static void blas_real_scal_at(cublasHandle_t handle, int n, const real *alpha, real *x, int incx)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[(long long)i * incx] *= *alpha;
}

static cublasStatus_t cublasRscal(cublasHandle_t handle, int n, const real *alpha, real *x, int incx)
{
    if (blas_on_device(handle)) {
        if (n > 0 && incx > 0)
            blas_real_scal_at<<<(n + 255) / 256, 256>>>(handle, n, alpha, x, incx);
        return CUBLAS_STATUS_SUCCESS;
    }
    const real factor = *alpha;
    if (n > 0 && incx > 0)
        blas_real_scal<<<(n + 255) / 256, 256>>>(handle, n, factor, x, incx);
    return CUBLAS_STATUS_SUCCESS;
}

__global__ static void blas_real_copy(cublasHandle_t handle, int n, const real *x, int incx, real *y, int incy)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[blas_at(i, n, incy)] = x[blas_at(i, n, incx)];
}

static cublasStatus_t cublasRcopy(cublasHandle_t handle, int n, const real *x, int incx, real *y, int incy)
{
    if (n > 0)
        blas_real_copy<<<(n + 255) / 256, 256>>>(handle, n, x, incx, y, incy);
    return CUBLAS_STATUS_SUCCESS;
}

__global__ static void blas_real_swap(cublasHandle_t handle, int n, real *x, int incx, real *y, int incy)
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
        blas_real_swap<<<(n + 255) / 256, 256>>>(handle, n, x, incx, y, incy);
    return CUBLAS_STATUS_SUCCESS;
}

// One block, so that the order of the sum is fixed.
__global__ static void blas_real_dot(cublasHandle_t handle, int n, const real *x, int incx, const real *y, int incy,
                                     real *result)
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

// y += *alpha x; where all of y is one number, one thread adds to it.
__global__ static void blas_real_add_times(int n, const real *alpha, const real *x, int incx, real *y, int incy)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (incy == 0) {
        for (int k = 0; i == 0 && k < n; k++)
            y[0] += *alpha * x[blas_at(k, n, incx)];
    } else if (i < n) {
        y[blas_at(i, n, incy)] += *alpha * x[blas_at(i, n, incx)];
    }
}

__global__ static void blas_real_clear(real *x)
{
    *x = 0;
}

static void blas_real_dot_pullback(cublasHandle_t handle, int n, const real *x, int incx, const real *y, int incy,
                                   real *result, real *adj_x, real *adj_y, real *adj_result)
{
    if (adj_result != NULL) {
        if (adj_x != NULL)
            blas_real_add_times<<<(n + 255) / 256, 256>>>(n, adj_result, y, incy, adj_x, incx);
        if (adj_y != NULL)
            blas_real_add_times<<<(n + 255) / 256, 256>>>(n, adj_result, x, incx, adj_y, incy);
        blas_real_clear<<<1, 1>>>(adj_result);
    }
}

static cublasStatus_t cublasRdot(cublasHandle_t handle, int n, const real *x, int incx, const real *y, int incy,
                                 real *result)
{
    real *sum;
    if (blas_on_device(handle)) {
        if (n <= 0)
            blas_real_clear<<<1, 1>>>(result);
        else
            blas_real_dot<<<1, 256>>>(handle, n, x, incx, y, incy, result);
        return CUBLAS_STATUS_SUCCESS;
    }
    *result = 0;
    if (n <= 0)
        return CUBLAS_STATUS_SUCCESS;
    if (cudaMalloc((void **)&sum, sizeof(real)) != cudaSuccess)
        return CUBLAS_STATUS_ALLOC_FAILED;
    blas_real_dot<<<1, 256>>>(handle, n, x, incx, y, incy, sum);
    cudaMemcpy(result, sum, sizeof(real), cudaMemcpyDeviceToHost);
    cudaFree(sum);
    return CUBLAS_STATUS_SUCCESS;
}

__global__ static void blas_real_nrm2(cublasHandle_t handle, int n, const real *x, int incx, real *result)
{
    __shared__ real part[256];
    int t = threadIdx.x;
    real sum = 0;
    for (int i = t; i < n; i += 256)
        sum += x[(long long)i * incx] * x[(long long)i * incx];
    part[t] = sum;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0)
        *result = sqrt(part[0]);
}

// y += *alpha x / *norm; the norm of nothing but zeros is taken for a constant.
__global__ static void blas_real_add_direction(int n, const real *alpha, const real *norm, const real *x, int incx,
                                               real *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && *norm > 0)
        y[(long long)i * incx] += *alpha * (x[(long long)i * incx] / *norm);
}

static void blas_real_nrm2_pullback(cublasHandle_t handle, int n, const real *x, int incx, real *result, real *adj_x,
                                    real *adj_result)
{
    if (adj_result != NULL) {
        if (adj_x != NULL) {
            real *norm;
            cudaMalloc((void **)&norm, sizeof(real));
            blas_real_nrm2<<<1, 256>>>(handle, n, x, incx, norm);
            blas_real_add_direction<<<(n + 255) / 256, 256>>>(n, adj_result, norm, x, incx, adj_x);
            cudaFree(norm);
        }
        blas_real_clear<<<1, 1>>>(adj_result);
    }
}

static cublasStatus_t cublasRnrm2(cublasHandle_t handle, int n, const real *x, int incx, real *result)
{
    real *norm;
    if (blas_on_device(handle)) {
        if (n <= 0 || incx <= 0)
            blas_real_clear<<<1, 1>>>(result);
        else
            blas_real_nrm2<<<1, 256>>>(handle, n, x, incx, result);
        return CUBLAS_STATUS_SUCCESS;
    }
    *result = 0;
    if (n <= 0 || incx <= 0)
        return CUBLAS_STATUS_SUCCESS;
    if (cudaMalloc((void **)&norm, sizeof(real)) != cudaSuccess)
        return CUBLAS_STATUS_ALLOC_FAILED;
    blas_real_nrm2<<<1, 256>>>(handle, n, x, incx, norm);
    cudaMemcpy(result, norm, sizeof(real), cudaMemcpyDeviceToHost);
    cudaFree(norm);
    return CUBLAS_STATUS_SUCCESS;
}

__global__ static void blas_real_asum(cublasHandle_t handle, int n, const real *x, int incx, real *result)
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

__global__ static void blas_real_add_signs(int n, const real *alpha, const real *x, int incx, real *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        real at = x[(long long)i * incx];
        y[(long long)i * incx] += at > 0 ? *alpha : at < 0 ? -*alpha : 0;
    }
}

static void blas_real_asum_pullback(cublasHandle_t handle, int n, const real *x, int incx, real *result, real *adj_x,
                                    real *adj_result)
{
    if (adj_result != NULL) {
        if (adj_x != NULL)
            blas_real_add_signs<<<(n + 255) / 256, 256>>>(n, adj_result, x, incx, adj_x);
        blas_real_clear<<<1, 1>>>(adj_result);
    }
}

static cublasStatus_t cublasRasum(cublasHandle_t handle, int n, const real *x, int incx, real *result)
{
    real *sum;
    if (blas_on_device(handle)) {
        if (n <= 0 || incx <= 0)
            blas_real_clear<<<1, 1>>>(result);
        else
            blas_real_asum<<<1, 256>>>(handle, n, x, incx, result);
        return CUBLAS_STATUS_SUCCESS;
    }
    *result = 0;
    if (n <= 0 || incx <= 0)
        return CUBLAS_STATUS_SUCCESS;
    if (cudaMalloc((void **)&sum, sizeof(real)) != cudaSuccess)
        return CUBLAS_STATUS_ALLOC_FAILED;
    blas_real_asum<<<1, 256>>>(handle, n, x, incx, sum);
    cudaMemcpy(result, sum, sizeof(real), cudaMemcpyDeviceToHost);
    cudaFree(sum);
    return CUBLAS_STATUS_SUCCESS;
}

// Matrices times a number; 0 clears them, whatever they hold.
__global__ static void blas_real_scale(int rows, int columns, real alpha, real *a, int lda, long long next, int count)
{
    long long cell = blockIdx.x * (long long)blockDim.x + threadIdx.x, size = (long long)rows * columns;
    if (cell < size * count) {
        long long at = cell / size * next + cell % size % rows + cell % size / rows * lda;
        a[at] = alpha == 0 ? 0 : alpha * a[at];
    }
}

// The sum over each column of the products of two matrices, and what these sums make added to a number.
__global__ static void blas_real_products(real *sums, int rows, int columns, const real *a, int lda, const real *b,
                                          int ldb)
{
    __shared__ real part[256];
    int t = threadIdx.x, j = blockIdx.x;
    real sum = 0;
    for (int i = t; j < columns && i < rows; i += 256)
        sum += a[i + (long long)j * lda] * b[i + (long long)j * ldb];
    part[t] = sum;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0 && j < columns)
        sums[j] = part[0];
}

__global__ static void blas_real_add_sum(real *total, const real *sums, int count)
{
    __shared__ real part[256];
    int t = threadIdx.x;
    real sum = 0;
    for (int i = t; i < count; i += 256)
        sum += sums[i];
    part[t] = sum;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0)
        *total += part[0];
}

// *total += the sum of the products of two matrices.
static void blas_real_add_products(real *total, int rows, int columns, const real *a, int lda, const real *b, int ldb)
{
    real *sums;
    cudaMalloc((void **)&sums, columns * sizeof(real));
    blas_real_products<<<columns, 256>>>(sums, rows, columns, a, lda, b, ldb);
    blas_real_add_sum<<<1, 256>>>(total, sums, columns);
    cudaFree(sums);
}

// *total += the sum of the products of two vectors.
__global__ static void blas_real_add_dot(real *total, int n, const real *x, int incx, const real *y, int incy)
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
        *total += part[0];
}

__global__ static void blas_real_scale_vector(int n, real alpha, real *x, int incx)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[blas_at(i, n, incx)] = alpha == 0 ? 0 : alpha * x[blas_at(i, n, incx)];
}

// Element i of y = alpha op(A) x + beta y.
__device__ static void blas_real_row(int i, cublasOperation_t trans, int m, int n, real alpha, const real *a, int lda,
                                     const real *x, int incx, real beta, real *y, int incy)
{
    int rows = trans == CUBLAS_OP_N ? m : n, columns = trans == CUBLAS_OP_N ? n : m;
    long long down = trans == CUBLAS_OP_N ? 1 : lda, along = trans == CUBLAS_OP_N ? lda : 1;
    if (i >= rows || columns <= 0)
        return;
    real sum = 0;
    for (int k = 0; k < columns; k++)
        sum += a[i * down + k * along] * x[blas_at(k, columns, incx)];
    if (beta == 0) // y is not read then: it may hold anything
        y[blas_at(i, rows, incy)] = alpha * sum;
    else
        y[blas_at(i, rows, incy)] = alpha * sum + beta * y[blas_at(i, rows, incy)];
}

__global__ static void blas_real_gemv(cublasHandle_t handle, cublasOperation_t trans, int m, int n, real alpha,
                                      const real *a, int lda, const real *x, int incx, real beta, real *y, int incy)
{
    blas_real_row(blockIdx.x * blockDim.x + threadIdx.x, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);
}

__global__ static void blas_real_gemv_at(cublasHandle_t handle, cublasOperation_t trans, int m, int n,
                                         const real *alpha, const real *a, int lda, const real *x, int incx,
                                         const real *beta, real *y, int incy)
{
    blas_real_row(blockIdx.x * blockDim.x + threadIdx.x, trans, m, n, *alpha, a, lda, x, incx, *beta, y, incy);
}

__global__ static void blas_real_ger(cublasHandle_t handle, int m, int n, real alpha, const real *x, int incx,
                                     const real *y, int incy, real *a, int lda)
{
    long long k = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (k < (long long)m * n) {
        int i = k % m, j = k / m;
        a[i + (long long)j * lda] += alpha * x[blas_at(i, m, incx)] * y[blas_at(j, n, incy)];
    }
}

__global__ static void blas_real_ger_at(cublasHandle_t handle, int m, int n, const real *alpha, const real *x, int incx,
                                        const real *y, int incy, real *a, int lda)
{
    long long k = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (k < (long long)m * n) {
        int i = k % m, j = k / m;
        a[i + (long long)j * lda] += *alpha * x[blas_at(i, m, incx)] * y[blas_at(j, n, incy)];
    }
}

static void blas_real_gemv_pullback(cublasHandle_t handle, cublasOperation_t trans, int m, int n, real alpha,
                                    const real *a, int lda, const real *x, int incx, real beta, real *y, int incy,
                                    real *adj_alpha, real *adj_a, real *adj_x, real *adj_beta, real *adj_y)
{
    if (adj_y != NULL) {
        int rows = trans == CUBLAS_OP_N ? m : n;
        if (adj_alpha != NULL) {
            real *product;
            cudaMalloc((void **)&product, rows * sizeof(real));
            blas_real_gemv<<<(m + n + 127) / 128, 128>>>(handle, trans, m, n, 1, a, lda, x, incx, 0, product, 1);
            blas_real_add_dot<<<1, 256>>>(adj_alpha, rows, product, 1, adj_y, incy);
            cudaFree(product);
        }
        if (adj_beta != NULL)
            if (beta != 0)
                blas_real_add_dot<<<1, 256>>>(adj_beta, rows, y, incy, adj_y, incy);
        if (adj_a != NULL) {
            if (trans == CUBLAS_OP_N)
                blas_real_ger<<<((long long)m * n + 255) / 256, 256>>>(handle, m, n, alpha, adj_y, incy, x, incx,
                                                                       adj_a, lda);
            else
                blas_real_ger<<<((long long)m * n + 255) / 256, 256>>>(handle, m, n, alpha, x, incx, adj_y, incy,
                                                                       adj_a, lda);
        }
        if (adj_x != NULL)
            blas_real_gemv<<<(m + n + 127) / 128, 128>>>(handle, BLAS_OTHER(trans), m, n, alpha, a, lda, adj_y, incy,
                                                         1, adj_x, incx);
        if (beta != 1)
            blas_real_scale_vector<<<(rows + 255) / 256, 256>>>(rows, beta, adj_y, incy);
    }
}

// What the pullbacks of routines do whose factors are in device memory: *factor times matrices, one behind the other;
// these matrices themselves times it; the sum of products added to a number, unless a factor is 0.
__global__ static void blas_real_times(real *out, const real *factor, int rows, int columns, const real *a, int lda,
                                       long long next, int count)
{
    long long cell = blockIdx.x * (long long)blockDim.x + threadIdx.x, size = (long long)rows * columns;
    if (cell < size * count)
        out[cell] = *factor * a[cell / size * next + cell % size % rows + cell % size / rows * lda];
}

__global__ static void blas_real_scale_at(int rows, int columns, const real *factor, real *a, int lda, long long next,
                                          int count)
{
    long long cell = blockIdx.x * (long long)blockDim.x + threadIdx.x, size = (long long)rows * columns;
    if (cell < size * count) {
        long long at = cell / size * next + cell % size % rows + cell % size / rows * lda;
        a[at] = *factor == 0 ? 0 : *factor * a[at];
    }
}

__global__ static void blas_real_times_vector(real *out, const real *factor, int n, const real *x, int incx)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = *factor * x[blas_at(i, n, incx)];
}

__global__ static void blas_real_scale_vector_at(int n, const real *factor, real *x, int incx)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[blas_at(i, n, incx)] = *factor == 0 ? 0 : *factor * x[blas_at(i, n, incx)];
}

__global__ static void blas_real_add_unless_zero(real *total, const real *more, const real *factor)
{
    if (*factor != 0)
        *total += *more;
}

// adj_beta += the sum of the products of two matrices; where beta is 0 one of them was not read, and may hold anything.
static void blas_real_add_products_at(real *adj_beta, const real *beta, int rows, int columns, const real *a, int lda,
                                      const real *b, int ldb)
{
    real *sum;
    cudaMalloc((void **)&sum, sizeof(real));
    cudaMemset(sum, 0, sizeof(real));
    blas_real_add_products(sum, rows, columns, a, lda, b, ldb);
    blas_real_add_unless_zero<<<1, 1>>>(adj_beta, sum, beta);
    cudaFree(sum);
}

static void blas_real_gemv_at_pullback(cublasHandle_t handle, cublasOperation_t trans, int m, int n, const real *alpha,
                                       const real *a, int lda, const real *x, int incx, const real *beta, real *y,
                                       int incy, real *adj_alpha, real *adj_a, real *adj_x, real *adj_beta, real *adj_y)
{
    if (adj_y != NULL) {
        int rows = trans == CUBLAS_OP_N ? m : n;
        if (adj_alpha != NULL) {
            real *product;
            cudaMalloc((void **)&product, rows * sizeof(real));
            blas_real_gemv<<<(m + n + 127) / 128, 128>>>(handle, trans, m, n, 1, a, lda, x, incx, 0, product, 1);
            blas_real_add_dot<<<1, 256>>>(adj_alpha, rows, product, 1, adj_y, incy);
            cudaFree(product);
        }
        if (adj_beta != NULL) {
            real *sum;
            cudaMalloc((void **)&sum, sizeof(real));
            blas_real_dot<<<1, 256>>>(handle, rows, y, incy, adj_y, incy, sum);
            blas_real_add_unless_zero<<<1, 1>>>(adj_beta, sum, beta);
            cudaFree(sum);
        }
        if (adj_a != NULL || adj_x != NULL) {
            real *seed;
            cudaMalloc((void **)&seed, rows * sizeof(real));
            blas_real_times_vector<<<(rows + 255) / 256, 256>>>(seed, alpha, rows, adj_y, incy);
            if (adj_a != NULL) {
                if (trans == CUBLAS_OP_N)
                    blas_real_ger<<<((long long)m * n + 255) / 256, 256>>>(handle, m, n, 1, seed, 1, x, incx, adj_a,
                                                                           lda);
                else
                    blas_real_ger<<<((long long)m * n + 255) / 256, 256>>>(handle, m, n, 1, x, incx, seed, 1, adj_a,
                                                                           lda);
            }
            if (adj_x != NULL)
                blas_real_gemv<<<(m + n + 127) / 128, 128>>>(handle, BLAS_OTHER(trans), m, n, 1, a, lda, seed, 1, 1,
                                                             adj_x, incx);
            cudaFree(seed);
        }
        blas_real_scale_vector_at<<<(rows + 255) / 256, 256>>>(rows, beta, adj_y, incy);
    }
}

static cublasStatus_t cublasRgemv(cublasHandle_t handle, cublasOperation_t trans, int m, int n, const real *alpha,
                                  const real *a, int lda, const real *x, int incx, const real *beta, real *y, int incy)
{
    if (blas_on_device(handle)) {
        if (BLAS_WRONG_VECTORS(m, n, lda, incx, incy))
            return CUBLAS_STATUS_INVALID_VALUE;
        if (m > 0 && n > 0)
            blas_real_gemv_at<<<(m + n + 127) / 128, 128>>>(handle, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);
        return CUBLAS_STATUS_SUCCESS;
    }
    const real factor = *alpha, kept = *beta;
    if (BLAS_WRONG_VECTORS(m, n, lda, incx, incy))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (m > 0 && n > 0)
        blas_real_gemv<<<(m + n + 127) / 128, 128>>>(handle, trans, m, n, factor, a, lda, x, incx, kept, y, incy);
    return CUBLAS_STATUS_SUCCESS;
}

static void blas_real_ger_pullback(cublasHandle_t handle, int m, int n, real alpha, const real *x, int incx,
                                   const real *y, int incy, real *a, int lda, real *adj_alpha, real *adj_x,
                                   real *adj_y, real *adj_a)
{
    if (adj_a != NULL) {
        if (adj_alpha != NULL) {
            real *product;
            cudaMalloc((void **)&product, m * sizeof(real));
            blas_real_gemv<<<(m + n + 127) / 128, 128>>>(handle, CUBLAS_OP_N, m, n, 1, adj_a, lda, y, incy, 0,
                                                         product, 1);
            blas_real_add_dot<<<1, 256>>>(adj_alpha, m, product, 1, x, incx);
            cudaFree(product);
        }
        if (adj_x != NULL)
            blas_real_gemv<<<(m + n + 127) / 128, 128>>>(handle, CUBLAS_OP_N, m, n, alpha, adj_a, lda, y, incy, 1,
                                                         adj_x, incx);
        if (adj_y != NULL)
            blas_real_gemv<<<(m + n + 127) / 128, 128>>>(handle, CUBLAS_OP_T, m, n, alpha, adj_a, lda, x, incx, 1,
                                                         adj_y, incy);
    }
}

static void blas_real_ger_at_pullback(cublasHandle_t handle, int m, int n, const real *alpha, const real *x, int incx,
                                      const real *y, int incy, real *a, int lda, real *adj_alpha, real *adj_x,
                                      real *adj_y, real *adj_a)
{
    if (adj_a != NULL) {
        if (adj_alpha != NULL) {
            real *product;
            cudaMalloc((void **)&product, m * sizeof(real));
            blas_real_gemv<<<(m + n + 127) / 128, 128>>>(handle, CUBLAS_OP_N, m, n, 1, adj_a, lda, y, incy, 0,
                                                         product, 1);
            blas_real_add_dot<<<1, 256>>>(adj_alpha, m, product, 1, x, incx);
            cudaFree(product);
        }
        if (adj_x != NULL) {
            real *scaled;
            cudaMalloc((void **)&scaled, n * sizeof(real));
            blas_real_times_vector<<<(n + 255) / 256, 256>>>(scaled, alpha, n, y, incy);
            blas_real_gemv<<<(m + n + 127) / 128, 128>>>(handle, CUBLAS_OP_N, m, n, 1, adj_a, lda, scaled, 1, 1,
                                                         adj_x, incx);
            cudaFree(scaled);
        }
        if (adj_y != NULL) {
            real *scaled;
            cudaMalloc((void **)&scaled, m * sizeof(real));
            blas_real_times_vector<<<(m + 255) / 256, 256>>>(scaled, alpha, m, x, incx);
            blas_real_gemv<<<(m + n + 127) / 128, 128>>>(handle, CUBLAS_OP_T, m, n, 1, adj_a, lda, scaled, 1, 1,
                                                         adj_y, incy);
            cudaFree(scaled);
        }
    }
}

static cublasStatus_t cublasRger(cublasHandle_t handle, int m, int n, const real *alpha, const real *x, int incx,
                                 const real *y, int incy, real *a, int lda)
{
    if (blas_on_device(handle)) {
        if (BLAS_WRONG_VECTORS(m, n, lda, incx, incy))
            return CUBLAS_STATUS_INVALID_VALUE;
        if (m > 0 && n > 0)
            blas_real_ger_at<<<((long long)m * n + 255) / 256, 256>>>(handle, m, n, alpha, x, incx, y, incy, a, lda);
        return CUBLAS_STATUS_SUCCESS;
    }
    const real factor = *alpha;
    if (BLAS_WRONG_VECTORS(m, n, lda, incx, incy))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (m > 0 && n > 0)
        blas_real_ger<<<((long long)m * n + 255) / 256, 256>>>(handle, m, n, factor, x, incx, y, incy, a, lda);
    return CUBLAS_STATUS_SUCCESS;
}

// C = alpha op(A) op(B) + beta C, where element (i, k) of op(A) is a[i * a_down + k * a_along].
__device__ static void blas_real_cell(int i, int j, int depth, real alpha, const real *a, long long a_down,
                                      long long a_along, const real *b, long long b_down, long long b_along, real beta,
                                      real *c, int ldc)
{
    long long at = i + (long long)j * ldc;
    real sum = 0;
    for (int k = 0; k < depth; k++)
        sum += a[i * a_down + k * a_along] * b[k * b_down + j * b_along];
    if (beta == 0) // C is not read then: it may hold anything
        c[at] = alpha * sum;
    else
        c[at] = alpha * sum + beta * c[at];
}

__global__ static void blas_real_gemm(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                                      int n, int k, real alpha, const real *a, int lda, const real *b, int ldb,
                                      real beta, real *c, int ldc)
{
    long long cell = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    int a_plain = transa == CUBLAS_OP_N, b_plain = transb == CUBLAS_OP_N;
    if (cell < (long long)m * n)
        blas_real_cell(cell % m, cell / m, k, alpha, a, a_plain ? 1 : lda, a_plain ? lda : 1, b, b_plain ? 1 : ldb,
                       b_plain ? ldb : 1, beta, c, ldc);
}

__global__ static void blas_real_gemm_batch(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                            int m, int n, int k, real alpha, const real *a, int lda, long long a_next,
                                            const real *b, int ldb, long long b_next, real beta, real *c, int ldc,
                                            long long c_next, int count)
{
    long long cell = blockIdx.x * (long long)blockDim.x + threadIdx.x, size = (long long)m * n;
    int a_plain = transa == CUBLAS_OP_N, b_plain = transb == CUBLAS_OP_N;
    if (cell < size * count) {
        long long q = cell / size;
        blas_real_cell(cell % size % m, cell % size / m, k, alpha, a + q * a_next, a_plain ? 1 : lda,
                       a_plain ? lda : 1, b + q * b_next, b_plain ? 1 : ldb, b_plain ? ldb : 1, beta, c + q * c_next,
                       ldc);
    }
}

__global__ static void blas_real_gemm_at(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                         int m, int n, int k, const real *alpha, const real *a, int lda, const real *b,
                                         int ldb, const real *beta, real *c, int ldc)
{
    long long cell = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    int a_plain = transa == CUBLAS_OP_N, b_plain = transb == CUBLAS_OP_N;
    if (cell < (long long)m * n)
        blas_real_cell(cell % m, cell / m, k, *alpha, a, a_plain ? 1 : lda, a_plain ? lda : 1, b, b_plain ? 1 : ldb,
                       b_plain ? ldb : 1, *beta, c, ldc);
}

__global__ static void blas_real_gemm_batch_at(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                               int m, int n, int k, const real *alpha, const real *a, int lda,
                                               long long a_next, const real *b, int ldb, long long b_next,
                                               const real *beta, real *c, int ldc, long long c_next, int count)
{
    long long cell = blockIdx.x * (long long)blockDim.x + threadIdx.x, size = (long long)m * n;
    int a_plain = transa == CUBLAS_OP_N, b_plain = transb == CUBLAS_OP_N;
    if (cell < size * count) {
        long long q = cell / size;
        blas_real_cell(cell % size % m, cell % size / m, k, *alpha, a + q * a_next, a_plain ? 1 : lda,
                       a_plain ? lda : 1, b + q * b_next, b_plain ? 1 : ldb, b_plain ? ldb : 1, *beta, c + q * c_next,
                       ldc);
    }
}

// adj_a += alpha adj_c op(B)^T, or what is transposed to it; m x n, n x k and m x k are the sizes of these.
static void blas_real_gemm_to_a(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                                int k, real alpha, real *adj_a, int lda, const real *b, int ldb, const real *adj_c,
                                int ldc)
{
    if (transa == CUBLAS_OP_N)
        blas_real_gemm<<<((long long)m * k + 127) / 128, 128>>>(handle, CUBLAS_OP_N, BLAS_OTHER(transb), m, k, n, alpha,
                                                                adj_c, ldc, b, ldb, 1, adj_a, lda);
    else
        blas_real_gemm<<<((long long)m * k + 127) / 128, 128>>>(handle, transb, CUBLAS_OP_T, k, m, n, alpha, b, ldb,
                                                                adj_c, ldc, 1, adj_a, lda);
}

// adj_b += alpha op(A)^T adj_c, or what is transposed to it.
static void blas_real_gemm_to_b(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                                int k, real alpha, const real *a, int lda, real *adj_b, int ldb, const real *adj_c,
                                int ldc)
{
    if (transb == CUBLAS_OP_N)
        blas_real_gemm<<<((long long)k * n + 127) / 128, 128>>>(handle, BLAS_OTHER(transa), CUBLAS_OP_N, k, n, m, alpha,
                                                                a, lda, adj_c, ldc, 1, adj_b, ldb);
    else
        blas_real_gemm<<<((long long)k * n + 127) / 128, 128>>>(handle, CUBLAS_OP_T, transa, n, k, m, alpha, adj_c, ldc,
                                                                a, lda, 1, adj_b, ldb);
}

static void blas_real_gemm_pullback(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                                    int n, int k, real alpha, const real *a, int lda, const real *b, int ldb, real beta,
                                    real *c, int ldc, real *adj_alpha, real *adj_a, real *adj_b, real *adj_beta,
                                    real *adj_c)
{
    if (adj_c != NULL) {
        if (adj_alpha != NULL) {
            real *product;
            cudaMalloc((void **)&product, (size_t)m * n * sizeof(real));
            blas_real_gemm<<<((long long)m * n + 127) / 128, 128>>>(handle, transa, transb, m, n, k, 1, a, lda, b, ldb,
                                                                    0, product, m);
            blas_real_add_products(adj_alpha, m, n, product, m, adj_c, ldc);
            cudaFree(product);
        }
        if (adj_beta != NULL)
            if (beta != 0)
                blas_real_add_products(adj_beta, m, n, c, ldc, adj_c, ldc);
        if (k > 0) {
            if (adj_a != NULL)
                blas_real_gemm_to_a(handle, transa, transb, m, n, k, alpha, adj_a, lda, b, ldb, adj_c, ldc);
            if (adj_b != NULL)
                blas_real_gemm_to_b(handle, transa, transb, m, n, k, alpha, a, lda, adj_b, ldb, adj_c, ldc);
        }
        if (beta != 1)
            blas_real_scale<<<((long long)m * n + 255) / 256, 256>>>(m, n, beta, adj_c, ldc, 0, 1);
    }
}

static void blas_real_gemm_at_pullback(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                                       int n, int k, const real *alpha, const real *a, int lda, const real *b, int ldb,
                                       const real *beta, real *c, int ldc, real *adj_alpha, real *adj_a, real *adj_b,
                                       real *adj_beta, real *adj_c)
{
    if (adj_c != NULL) {
        if (adj_alpha != NULL) {
            real *product;
            cudaMalloc((void **)&product, (size_t)m * n * sizeof(real));
            blas_real_gemm<<<((long long)m * n + 127) / 128, 128>>>(handle, transa, transb, m, n, k, 1, a, lda, b, ldb,
                                                                    0, product, m);
            blas_real_add_products(adj_alpha, m, n, product, m, adj_c, ldc);
            cudaFree(product);
        }
        if (adj_beta != NULL)
            blas_real_add_products_at(adj_beta, beta, m, n, c, ldc, adj_c, ldc);
        if (adj_a != NULL || adj_b != NULL) {
            real *seed;
            cudaMalloc((void **)&seed, (size_t)m * n * sizeof(real));
            blas_real_times<<<((long long)m * n + 255) / 256, 256>>>(seed, alpha, m, n, adj_c, ldc, 0, 1);
            if (k > 0) {
                if (adj_a != NULL)
                    blas_real_gemm_to_a(handle, transa, transb, m, n, k, 1, adj_a, lda, b, ldb, seed, m);
                if (adj_b != NULL)
                    blas_real_gemm_to_b(handle, transa, transb, m, n, k, 1, a, lda, adj_b, ldb, seed, m);
            }
            cudaFree(seed);
        }
        blas_real_scale_at<<<((long long)m * n + 255) / 256, 256>>>(m, n, beta, adj_c, ldc, 0, 1);
    }
}

static cublasStatus_t cublasRgemm(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                                  int n, int k, const real *alpha, const real *a, int lda, const real *b, int ldb,
                                  const real *beta, real *c, int ldc)
{
    if (blas_on_device(handle)) {
        if (BLAS_WRONG_MATRICES(transa, transb, m, n, k, lda, ldb, ldc))
            return CUBLAS_STATUS_INVALID_VALUE;
        if (m > 0 && n > 0)
            blas_real_gemm_at<<<((long long)m * n + 127) / 128, 128>>>(handle, transa, transb, m, n, k, alpha, a, lda,
                                                                       b, ldb, beta, c, ldc);
        return CUBLAS_STATUS_SUCCESS;
    }
    const real factor = *alpha, kept = *beta;
    if (BLAS_WRONG_MATRICES(transa, transb, m, n, k, lda, ldb, ldc))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (m > 0 && n > 0)
        blas_real_gemm<<<((long long)m * n + 127) / 128, 128>>>(handle, transa, transb, m, n, k, factor, a, lda, b, ldb,
                                                                kept, c, ldc);
    return CUBLAS_STATUS_SUCCESS;
}

// The operands' share in the pullback of products.  Where the adjoints of several are the same memory, one product after
// the other is added.
static void blas_real_gemm_batch_operands(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                          int m, int n, int k, real alpha, const real *a, int lda, long long a_next,
                                          const real *b, int ldb, long long b_next, int count, real *adj_a, real *adj_b,
                                          const real *adj_c, int ldc, long long c_next)
{
    if (adj_a != NULL) {
        if (!blas_apart(transa == CUBLAS_OP_N ? m : k, transa == CUBLAS_OP_N ? k : m, lda, a_next, count))
            for (int q = 0; q < count; q++)
                blas_real_gemm_to_a(handle, transa, transb, m, n, k, alpha, adj_a + q * a_next, lda,
                                    b + q * b_next, ldb, adj_c + q * c_next, ldc);
        else if (transa == CUBLAS_OP_N)
            blas_real_gemm_batch<<<((long long)m * k * count + 127) / 128, 128>>>(
                handle, CUBLAS_OP_N, BLAS_OTHER(transb), m, k, n, alpha, adj_c, ldc, c_next, b, ldb, b_next, 1,
                adj_a, lda, a_next, count);
        else
            blas_real_gemm_batch<<<((long long)m * k * count + 127) / 128, 128>>>(
                handle, transb, CUBLAS_OP_T, k, m, n, alpha, b, ldb, b_next, adj_c, ldc, c_next, 1, adj_a, lda,
                a_next, count);
    }
    if (adj_b != NULL) {
        if (!blas_apart(transb == CUBLAS_OP_N ? k : n, transb == CUBLAS_OP_N ? n : k, ldb, b_next, count))
            for (int q = 0; q < count; q++)
                blas_real_gemm_to_b(handle, transa, transb, m, n, k, alpha, a + q * a_next, lda,
                                    adj_b + q * b_next, ldb, adj_c + q * c_next, ldc);
        else if (transb == CUBLAS_OP_N)
            blas_real_gemm_batch<<<((long long)k * n * count + 127) / 128, 128>>>(
                handle, BLAS_OTHER(transa), CUBLAS_OP_N, k, n, m, alpha, a, lda, a_next, adj_c, ldc, c_next, 1,
                adj_b, ldb, b_next, count);
        else
            blas_real_gemm_batch<<<((long long)k * n * count + 127) / 128, 128>>>(
                handle, CUBLAS_OP_T, transa, n, k, m, alpha, adj_c, ldc, c_next, a, lda, a_next, 1, adj_b, ldb,
                b_next, count);
    }
}

static void blas_real_gemm_batch_pullback(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                          int m, int n, int k, real alpha, const real *a, int lda, long long a_next,
                                          const real *b, int ldb, long long b_next, real beta, real *c, int ldc,
                                          long long c_next, int count, real *adj_alpha, real *adj_a, real *adj_b,
                                          real *adj_beta, real *adj_c)
{
    if (adj_c != NULL) {
        if (adj_alpha != NULL) {
            real *product;
            cudaMalloc((void **)&product, (size_t)m * n * sizeof(real));
            for (int q = 0; q < count; q++) {
                blas_real_gemm<<<((long long)m * n + 127) / 128, 128>>>(handle, transa, transb, m, n, k, 1,
                                                                        a + q * a_next, lda, b + q * b_next, ldb, 0,
                                                                        product, m);
                blas_real_add_products(adj_alpha, m, n, product, m, adj_c + q * c_next, ldc);
            }
            cudaFree(product);
        }
        if (adj_beta != NULL)
            if (beta != 0)
                for (int q = 0; q < count; q++)
                    blas_real_add_products(adj_beta, m, n, c + q * c_next, ldc, adj_c + q * c_next, ldc);
        if (k > 0)
            blas_real_gemm_batch_operands(handle, transa, transb, m, n, k, alpha, a, lda, a_next, b, ldb, b_next, count,
                                          adj_a, adj_b, adj_c, ldc, c_next);
        if (beta != 1)
            blas_real_scale<<<((long long)m * n * count + 255) / 256, 256>>>(m, n, beta, adj_c, ldc, c_next, count);
    }
}

static void blas_real_gemm_batch_at_pullback(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                             int m, int n, int k, const real *alpha, const real *a, int lda,
                                             long long a_next, const real *b, int ldb, long long b_next,
                                             const real *beta, real *c, int ldc, long long c_next, int count,
                                             real *adj_alpha, real *adj_a, real *adj_b, real *adj_beta, real *adj_c)
{
    if (adj_c != NULL) {
        if (adj_alpha != NULL) {
            real *product;
            cudaMalloc((void **)&product, (size_t)m * n * sizeof(real));
            for (int q = 0; q < count; q++) {
                blas_real_gemm<<<((long long)m * n + 127) / 128, 128>>>(handle, transa, transb, m, n, k, 1,
                                                                        a + q * a_next, lda, b + q * b_next, ldb, 0,
                                                                        product, m);
                blas_real_add_products(adj_alpha, m, n, product, m, adj_c + q * c_next, ldc);
            }
            cudaFree(product);
        }
        if (adj_beta != NULL)
            for (int q = 0; q < count; q++)
                blas_real_add_products_at(adj_beta, beta, m, n, c + q * c_next, ldc, adj_c + q * c_next, ldc);
        if (adj_a != NULL || adj_b != NULL) {
            real *seed;
            cudaMalloc((void **)&seed, (size_t)m * n * count * sizeof(real));
            blas_real_times<<<((long long)m * n * count + 255) / 256, 256>>>(seed, alpha, m, n, adj_c, ldc, c_next,
                                                                             count);
            if (k > 0)
                blas_real_gemm_batch_operands(handle, transa, transb, m, n, k, 1, a, lda, a_next, b, ldb, b_next,
                                              count, adj_a, adj_b, seed, m, (long long)m * n);
            cudaFree(seed);
        }
        blas_real_scale_at<<<((long long)m * n * count + 255) / 256, 256>>>(m, n, beta, adj_c, ldc, c_next, count);
    }
}

static cublasStatus_t cublasRgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
                                                cublasOperation_t transb, int m, int n, int k, const real *alpha,
                                                const real *a, int lda, long long strideA, const real *b, int ldb,
                                                long long strideB, const real *beta, real *c, int ldc,
                                                long long strideC, int batchCount)
{
    if (blas_on_device(handle)) {
        if (BLAS_WRONG_MATRICES(transa, transb, m, n, k, lda, ldb, ldc) || batchCount < 0)
            return CUBLAS_STATUS_INVALID_VALUE;
        if (m > 0 && n > 0 && batchCount > 0)
            blas_real_gemm_batch_at<<<((long long)m * n * batchCount + 127) / 128, 128>>>(
                handle, transa, transb, m, n, k, alpha, a, lda, strideA, b, ldb, strideB, beta, c, ldc, strideC,
                batchCount);
        return CUBLAS_STATUS_SUCCESS;
    }
    const real factor = *alpha, kept = *beta;
    if (BLAS_WRONG_MATRICES(transa, transb, m, n, k, lda, ldb, ldc) || batchCount < 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (m > 0 && n > 0 && batchCount > 0)
        blas_real_gemm_batch<<<((long long)m * n * batchCount + 127) / 128, 128>>>(
            handle, transa, transb, m, n, k, factor, a, lda, strideA, b, ldb, strideB, kept, c, ldc, strideC,
            batchCount);
    return CUBLAS_STATUS_SUCCESS;
}
