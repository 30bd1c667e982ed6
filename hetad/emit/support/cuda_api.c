// The CUDA runtime API over the table of the backend.
static const struct hetad_runtime *hetad_rt;
static cudaError_t hetad_last_error;

static inline cudaError_t hetad_result(int error)
{
    if (error != cudaSuccess) {
        hetad_last_error = error;
    }
    return error;
}

static inline cudaError_t cudaMalloc(void *p, size_t bytes)
{
    void *memory = bytes > 0 ? hetad_rt->device_malloc(bytes) : NULL;
    memcpy(p, &memory, sizeof memory);
    return hetad_result(memory == NULL && bytes > 0 ? cudaErrorMemoryAllocation : cudaSuccess);
}

static inline cudaError_t cudaFree(void *p)
{
    return p != NULL ? hetad_result(hetad_rt->device_free(p)) : cudaSuccess;
}

static inline cudaError_t cudaMemcpy(void *dst, const void *src, size_t bytes, cudaMemcpyKind kind)
{
    return bytes > 0 ? hetad_result(hetad_rt->copy(dst, src, bytes, (int)kind)) : cudaSuccess;
}

static inline cudaError_t cudaMemset(void *p, int value, size_t bytes)
{
    return bytes > 0 ? hetad_result(hetad_rt->set(p, value, bytes)) : cudaSuccess;
}

static inline cudaError_t cudaDeviceSynchronize(void)
{
    return hetad_result(hetad_rt->synchronize());
}

static inline cudaError_t cudaPeekAtLastError(void)
{
    const int error = hetad_rt->last_error();
    if (hetad_last_error == cudaSuccess) {
        hetad_last_error = error;
    }
    return hetad_last_error;
}

static inline cudaError_t cudaGetLastError(void)
{
    const cudaError_t error = cudaPeekAtLastError();
    hetad_last_error = cudaSuccess;
    return error;
}

static inline const char *cudaGetErrorString(cudaError_t error)
{
    switch (error) {
    case 0: return "no error";
    case 1: return "invalid argument";
    case 2: return "out of memory";
    case 9: return "invalid configuration argument";
    case 98: return "invalid device function";
    case 101: return "invalid device ordinal";
    case 700: return "an illegal memory access was encountered";
    case 701: return "too many resources requested for launch";
    case 702: return "the launch timed out and was terminated";
    case 710: return "device-side assert triggered";
    case 716: return "misaligned address";
    case 719: return "unspecified launch failure";
    }
    static char text[32];
    snprintf(text, sizeof text, "CUDA error %d", error);
    return text;
}

static inline void hetad_launch(int kernel, dim3 grid, dim3 block, size_t shared, cudaStream_t stream, void **args)
{
    const unsigned blocks[3] = {grid.x, grid.y, grid.z}, threads[3] = {block.x, block.y, block.z};
    hetad_result(hetad_rt->launch(kernel, blocks, threads, shared, stream, args));
}
