// What cublas_v2.h declares, as far as hetad knows it.  The kernels that take a handle stand for routines of the library,
// in the order of its parameters: on a GPU it is called instead (hetad/rules/routines.py).  Where scalars are in device
// memory those do whose names end in `_at`.  Which mode a handle has is known before a function is differentiated
// (hetad/host/pointer_modes.py).
typedef enum {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_NOT_INITIALIZED = 1,
    CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_ARCH_MISMATCH = 8,
    CUBLAS_STATUS_MAPPING_ERROR = 11,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_INTERNAL_ERROR = 14,
    CUBLAS_STATUS_NOT_SUPPORTED = 15
} cublasStatus_t;

typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;

typedef enum { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 } cublasOperation_t;

static cublasStatus_t cublasSetVector(int n, int size, const void *x, int incx, void *y, int incy)
{
    if (n < 0 || size < 1 || incx != 1 || incy != 1)
        abort();
    cudaMemcpy(y, x, (size_t)n * size, cudaMemcpyHostToDevice);
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t cublasGetVector(int n, int size, const void *x, int incx, void *y, int incy)
{
    if (n < 0 || size < 1 || incx != 1 || incy != 1)
        abort();
    cudaMemcpy(y, x, (size_t)n * size, cudaMemcpyDeviceToHost);
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t cublasSetMatrix(int rows, int columns, int size, const void *a, int lda, void *b, int ldb)
{
    if (rows < 0 || columns < 0 || size < 1 || lda != rows || ldb != rows)
        abort();
    cudaMemcpy(b, a, (size_t)rows * columns * size, cudaMemcpyHostToDevice);
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t cublasGetMatrix(int rows, int columns, int size, const void *a, int lda, void *b, int ldb)
{
    if (rows < 0 || columns < 0 || size < 1 || lda != rows || ldb != rows)
        abort();
    cudaMemcpy(b, a, (size_t)rows * columns * size, cudaMemcpyDeviceToHost);
    return CUBLAS_STATUS_SUCCESS;
}

static bool blas_on_device(cublasHandle_t handle)
{
    cublasPointerMode_t mode;
    cublasGetPointerMode(handle, &mode);
    return mode == CUBLAS_POINTER_MODE_DEVICE;
}

// Where element i of a vector of n lies: one with a negative increment is walked from its end.
__device__ static long long blas_at(int i, int n, int inc)
{
    return inc < 0 ? (long long)(i - n + 1) * inc : (long long)i * inc;
}

#define BLAS_WRONG_VECTORS(m, n, lda, incx, incy) \
    ((m) < 0 || (n) < 0 || (lda) < (m) || (lda) < 1 || (incx) == 0 || (incy) == 0)
#define BLAS_WRONG_MATRICES(transa, transb, m, n, k, lda, ldb, ldc) \
    ((m) < 0 || (n) < 0 || (k) < 0 || (lda) < 1 || (lda) < ((transa) == CUBLAS_OP_N ? (m) : (k)) || (ldb) < 1 \
     || (ldb) < ((transb) == CUBLAS_OP_N ? (k) : (n)) || (ldc) < (m) || (ldc) < 1)
#define BLAS_OTHER(operation) ((operation) == CUBLAS_OP_N ? CUBLAS_OP_T : CUBLAS_OP_N)

// Whether matrices of these sizes, one every `next` numbers, have no number in common.
static bool blas_apart(int rows, int columns, int lda, long long next, int count)
{
    return count <= 1 || next >= (long long)(columns - 1) * lda + rows;
}
