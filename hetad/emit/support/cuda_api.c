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

// A size that was computed from a negative number: no memory is that large.
static inline int hetad_negative(size_t bytes)
{
    return bytes > (size_t)PTRDIFF_MAX;
}

static inline cudaError_t cudaMalloc(void *p, size_t bytes)
{
    hetad_owned_reserve();
    void *memory = bytes > 0 && !hetad_negative(bytes) ? hetad_rt->device_malloc(bytes) : NULL;
    hetad_own(memory, bytes, HETAD_DEVICE);
    memcpy(p, &memory, sizeof memory);
    return hetad_result(memory == NULL && bytes > 0 ? cudaErrorMemoryAllocation : cudaSuccess);
}

static inline cudaError_t cudaMallocManaged(void *p, size_t bytes, unsigned flags)
{
    hetad_owned_reserve();
    void *memory = bytes > 0 && !hetad_negative(bytes) ? hetad_rt->managed_malloc(bytes) : NULL;
    hetad_own(memory, bytes, HETAD_DEVICE);
    (void)flags;
    memcpy(p, &memory, sizeof memory);
    return hetad_result(bytes == 0 ? cudaErrorInvalidValue : memory == NULL ? cudaErrorMemoryAllocation : cudaSuccess);
}

static inline cudaError_t cudaFree(void *p)
{
    const int ours = p != NULL && hetad_disown(p, HETAD_DEVICE, "cudaFree");
    return ours ? hetad_result(hetad_rt->device_free(p)) : cudaSuccess;
}

static inline cudaError_t cudaMemcpy(void *dst, const void *src, size_t bytes, cudaMemcpyKind kind)
{
    if (bytes == 0) {
        return cudaSuccess;
    }
    return hetad_result(hetad_negative(bytes) ? cudaErrorInvalidValue : hetad_rt->copy(dst, src, bytes, (int)kind));
}

static inline cudaError_t cudaMemset(void *p, int value, size_t bytes)
{
    if (bytes == 0) {
        return cudaSuccess;
    }
    return hetad_result(hetad_negative(bytes) ? cudaErrorInvalidValue : hetad_rt->set(p, value, bytes));
}

// Whether rows are more than any memory holds, or longer than they are apart.
static inline int hetad_negative_rows(size_t pitch, size_t width, size_t height)
{
    return hetad_negative(pitch) || width > pitch || (pitch > 0 && height > (size_t)PTRDIFF_MAX / pitch);
}

// Rows as far apart as on a GPU.
static inline cudaError_t cudaMallocPitch(void *p, size_t *pitch, size_t width, size_t height)
{
    *pitch = hetad_negative(width) ? SIZE_MAX : (width + 511) / 512 * 512;
    return cudaMalloc(p, hetad_negative_rows(*pitch, width, height) ? SIZE_MAX : *pitch * height);
}

static inline cudaError_t cudaMemcpy2D(void *dst, size_t to_pitch, const void *src, size_t from_pitch, size_t width,
                                       size_t height, cudaMemcpyKind kind)
{
    if (width == 0 || height == 0) {
        return cudaSuccess;
    }
    if (width > to_pitch || width > from_pitch) {
        return hetad_result(cudaErrorInvalidPitchValue);
    }
    if (hetad_negative_rows(to_pitch, width, height) || hetad_negative_rows(from_pitch, width, height)) {
        return hetad_result(cudaErrorInvalidValue);
    }
    return hetad_result(hetad_rt->copy_rows(dst, to_pitch, src, from_pitch, width, height, (int)kind));
}

static inline cudaError_t cudaMemcpy2DAsync(void *dst, size_t to_pitch, const void *src, size_t from_pitch,
                                            size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream)
{
    (void)stream;
    return cudaMemcpy2D(dst, to_pitch, src, from_pitch, width, height, kind);
}

static inline cudaError_t cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height)
{
    if (width == 0 || height == 0) {
        return cudaSuccess;
    }
    if (hetad_negative_rows(pitch, width, height)) {
        return hetad_result(cudaErrorInvalidValue);
    }
    return hetad_result(hetad_rt->set_rows(p, pitch, value, width, height));
}

static inline cudaError_t cudaMemset2DAsync(void *p, size_t pitch, int value, size_t width, size_t height,
                                            cudaStream_t stream)
{
    (void)stream;
    return cudaMemset2D(p, pitch, value, width, height);
}

static inline cudaError_t cudaMallocAsync(void *p, size_t bytes, cudaStream_t stream)
{
    (void)stream;
    return cudaMalloc(p, bytes);
}

static inline cudaError_t cudaFreeAsync(void *p, cudaStream_t stream)
{
    (void)stream;
    return cudaFree(p);
}

static inline cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t bytes, cudaMemcpyKind kind,
                                          cudaStream_t stream)
{
    (void)stream;
    return cudaMemcpy(dst, src, bytes, kind);
}

static inline cudaError_t cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t stream)
{
    (void)stream;
    return cudaMemset(p, value, bytes);
}

static inline cudaError_t cudaMemcpyPeer(void *dst, int to, const void *src, int from, size_t bytes)
{
    (void)to, (void)from;
    return cudaMemcpy(dst, src, bytes, cudaMemcpyDeviceToDevice);
}

static inline cudaError_t cudaMemcpyPeerAsync(void *dst, int to, const void *src, int from, size_t bytes,
                                              cudaStream_t stream)
{
    (void)stream;
    return cudaMemcpyPeer(dst, to, src, from, bytes);
}

static inline cudaError_t cudaMallocHost(void *p, size_t bytes, unsigned flags)
{
    hetad_owned_reserve();
    void *memory = hetad_own(malloc(bytes > 0 ? bytes : 1), bytes, HETAD_PINNED);
    (void)flags;
    memcpy(p, &memory, sizeof memory);
    return hetad_result(memory == NULL ? cudaErrorMemoryAllocation : cudaSuccess);
}

static inline cudaError_t cudaHostAlloc(void *p, size_t bytes, unsigned flags)
{
    return cudaMallocHost(p, bytes, flags);
}

static inline cudaError_t cudaFreeHost(void *p)
{
    if (p != NULL && hetad_disown(p, HETAD_PINNED, "cudaFreeHost")) {
        free(p);
    }
    return cudaSuccess;
}

static inline cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned flags)
{
    (void)p, (void)bytes, (void)flags;
    return cudaSuccess;
}

static inline cudaError_t cudaHostUnregister(void *p)
{
    (void)p;
    return cudaSuccess;
}

static inline cudaError_t cudaDeviceSynchronize(void)
{
    return hetad_result(hetad_rt->synchronize());
}

static inline cudaError_t cudaThreadSynchronize(void)
{
    return cudaDeviceSynchronize();
}

// The devices are Python's: the program does not reset them.
static inline cudaError_t cudaDeviceReset(void)
{
    return cudaDeviceSynchronize();
}

static inline cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = 13000;
    return cudaSuccess;
}

static inline cudaError_t cudaDriverGetVersion(int *version)
{
    return cudaRuntimeGetVersion(version);
}

static inline cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    *least = *greatest = 0;
    return cudaSuccess;
}

// Settings that change no value.

static inline cudaError_t cudaDeviceSetCacheConfig(int config)
{
    (void)config;
    return cudaSuccess;
}

static inline cudaError_t cudaDeviceSetLimit(int limit, size_t value)
{
    (void)limit, (void)value;
    return cudaSuccess;
}

static inline cudaError_t cudaSetDeviceFlags(unsigned flags)
{
    (void)flags;
    return cudaSuccess;
}

static inline cudaError_t cudaThreadExit(void)
{
    return cudaDeviceReset();
}

static inline cudaError_t cudaMemPrefetchAsync(const void *p, size_t bytes, int device, cudaStream_t stream)
{
    (void)p, (void)bytes, (void)device, (void)stream;
    return cudaSuccess;
}

static inline cudaError_t cudaMemAdvise(const void *p, size_t bytes, int advice, int device)
{
    (void)p, (void)bytes, (void)advice, (void)device;
    return cudaSuccess;
}

static inline cudaError_t cudaMemGetInfo(size_t *available, size_t *total)
{
    return hetad_result(hetad_rt->memory_info(available, total));
}

static inline cudaError_t cudaProfilerStart(void)
{
    return cudaSuccess;
}

static inline cudaError_t cudaProfilerStop(void)
{
    return cudaSuccess;
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
    hetad_failed_launch = NULL;
    return error;
}

static inline const char *cudaGetErrorName(cudaError_t error)
{
    switch (error) {
    case 0: return "cudaSuccess";
    case 1: return "cudaErrorInvalidValue";
    case 2: return "cudaErrorMemoryAllocation";
    case 9: return "cudaErrorInvalidConfiguration";
    case 12: return "cudaErrorInvalidPitchValue";
    case 98: return "cudaErrorInvalidDeviceFunction";
    case 101: return "cudaErrorInvalidDevice";
    case 217: return "cudaErrorPeerAccessUnsupported";
    case 700: return "cudaErrorIllegalAddress";
    case 701: return "cudaErrorLaunchOutOfResources";
    case 702: return "cudaErrorLaunchTimeout";
    case 704: return "cudaErrorPeerAccessAlreadyEnabled";
    case 705: return "cudaErrorPeerAccessNotEnabled";
    case 710: return "cudaErrorAssert";
    case 716: return "cudaErrorMisalignedAddress";
    case 719: return "cudaErrorLaunchFailure";
    }
    return "cudaErrorUnknown";
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
    case 217: return "peer access is not supported between these two devices";
    case 700: return "an illegal memory access was encountered";
    case 701: return "too many resources requested for launch";
    case 702: return "the launch timed out and was terminated";
    case 704: return "peer access is already enabled";
    case 705: return "peer access has not been enabled";
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
    hetad_watch_launch();
    const unsigned blocks[3] = {grid.x, grid.y, grid.z}, threads[3] = {block.x, block.y, block.z};
#ifndef HETAD_ON_CPU  // there, the kernel may be left
    volatile sig_atomic_t *const may_leave = hetad_this_call.may_leave;
    const sig_atomic_t before = *may_leave;
    *may_leave = 0;
#endif
    const int code = hetad_rt->launch(kernel, blocks, threads, shared, stream, args);
    if (code != 0 && grid.x > 0 && grid.y > 0 && grid.z > 0 && hetad_failed_launch == NULL) {
        hetad_failed_launch = hetad_place;
    }
    hetad_result(code);
#ifndef HETAD_ON_CPU
    hetad_process->settle(before);
#endif
}

// The device variables of the program, where the device is another one: what stands here for each, and its address there.
struct hetad_device_variable {
    const void *here;
    void *there;
};

static struct hetad_device_variable *hetad_device_variables;

static int hetad_device_variable_count;

static inline cudaError_t cudaGetSymbolAddress(void *p, const void *symbol)
{
    void *address = (void *)symbol;
    for (int i = 0; i < hetad_device_variable_count; i++) {
        if (hetad_device_variables[i].here == symbol) {
            address = hetad_device_variables[i].there;
        }
    }
    memcpy(p, &address, sizeof address);
    return cudaSuccess;
}
