// A handle of cuBLAS holds the stream of the calls that it is given to; the backend has the library's own handles.
struct hetad_cublas_handle {
    cudaStream_t stream;
    int pointer_mode;
};

static inline int cublasCreate(cublasHandle_t *handle)
{
    *handle = calloc(1, sizeof(struct hetad_cublas_handle));
    return *handle == NULL ? 3 : 0;  // CUBLAS_STATUS_ALLOC_FAILED
}

static inline int cublasDestroy(cublasHandle_t handle)
{
    free(handle);
    return 0;
}

static inline int cublasSetStream(cublasHandle_t handle, cudaStream_t stream)
{
    if (handle != NULL) {
        handle->stream = stream;
    }
    return 0;
}

// A program whose handle is a parameter is called from Python with None for it.
static inline cudaStream_t hetad_cublas_stream(cublasHandle_t handle)
{
    return handle != NULL ? handle->stream : NULL;
}

static inline int cublasGetStream(cublasHandle_t handle, cudaStream_t *stream)
{
    *stream = hetad_cublas_stream(handle);
    return 0;
}

// Where a handle looks for scalars: 0 on the host, 1 on the device.
static inline int *hetad_cublas_pointer_mode(cublasHandle_t handle)
{
    static int of_none;
    return handle != NULL ? &handle->pointer_mode : &of_none;
}

static inline int cublasSetPointerMode(cublasHandle_t handle, int mode)
{
    *hetad_cublas_pointer_mode(handle) = mode;
    return 0;
}

static inline int cublasGetPointerMode(cublasHandle_t handle, int *mode)
{
    *mode = *hetad_cublas_pointer_mode(handle);
    return 0;
}

// The handle of the derivative, which does all work in one stream.
static inline int hetad_cublas(cublasHandle_t *handle)
{
    static struct hetad_cublas_handle own;
    *handle = &own;
    return 0;
}

static inline void hetad_cublas_given(cublasHandle_t handle)
{
    (void)handle;
}
