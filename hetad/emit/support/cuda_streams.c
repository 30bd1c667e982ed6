// Streams and events: all work is done in one stream, so its order is the program's; events read the host's clock.
static inline cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    *stream = NULL;
    return cudaSuccess;
}

static inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    (void)flags;
    return cudaStreamCreate(stream);
}

static inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
    (void)priority;
    return cudaStreamCreateWithFlags(stream, flags);
}

static inline cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    (void)stream;
    return cudaSuccess;
}

static inline cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    return cudaDeviceSynchronize();
}

static inline cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return cudaStreamSynchronize(stream);
}

static inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    (void)stream, (void)event, (void)flags;
    return cudaSuccess;
}

static inline cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    *event = calloc(1, sizeof(struct timespec));
    return hetad_result(*event == NULL ? cudaErrorMemoryAllocation : cudaSuccess);
}

static inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    (void)flags;
    return cudaEventCreate(event);
}

static inline cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    free(event);
    return cudaSuccess;
}

static inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    (void)stream;
    const cudaError_t error = cudaDeviceSynchronize();
    if (event == NULL) {
        return hetad_result(cudaErrorInvalidValue);
    }
    clock_gettime(CLOCK_MONOTONIC, (struct timespec *)event);
    return error;
}

static inline cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    (void)event;
    return cudaDeviceSynchronize();
}

static inline cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return cudaEventSynchronize(event);
}

static inline cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t stop)
{
    const struct timespec *from = (const struct timespec *)start, *to = (const struct timespec *)stop;
    if (from == NULL || to == NULL) {
        return hetad_result(cudaErrorInvalidValue);
    }
    *milliseconds = (float)(1e3 * (double)(to->tv_sec - from->tv_sec) + 1e-6 * (double)(to->tv_nsec - from->tv_nsec));
    return cudaSuccess;
}
