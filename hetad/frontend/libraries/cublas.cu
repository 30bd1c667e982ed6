// What cublas_v2.h declares, as far as hetad knows it.  A handle holds the stream; scalars are in host memory.
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

typedef enum { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 } cublasOperation_t;

typedef struct {
    cudaStream_t stream;
} blas_context;

typedef blas_context *cublasHandle_t;

static cublasStatus_t cublasCreate(cublasHandle_t *handle)
{
    blas_context *made = (blas_context *)malloc(sizeof(blas_context));
    made->stream = 0;
    *handle = made;
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t cublasDestroy(cublasHandle_t handle)
{
    free(handle);
    return CUBLAS_STATUS_SUCCESS;
}

// A program whose handle is a parameter may be called from Python with None for it.
static cudaStream_t blas_stream(cublasHandle_t handle)
{
    cudaStream_t stream = 0;
    if (handle != NULL)
        stream = handle->stream;
    return stream;
}

static cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream)
{
    handle->stream = stream;
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t *stream)
{
    *stream = handle->stream;
    return CUBLAS_STATUS_SUCCESS;
}

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

// Where element i of a vector of n lies: one with a negative increment is walked from its end.
__device__ static long long blas_at(int i, int n, int inc)
{
    return inc < 0 ? (long long)(i - n + 1) * inc : (long long)i * inc;
}
