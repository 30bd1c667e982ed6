// Memory of the derivative call.
static void *hetad_device_memory(size_t bytes)
{
    if (hetad_can_reuse(bytes, 1)) return hetad_reuse(bytes, 1);  // if used
    void *p = NULL;
    hetad_check(cudaMalloc(&p, bytes));
    if (p != NULL) hetad_allocated(p, bytes, 1);  // if used
    return p;
}

static cudaError_t hetad_device_malloc(void **p, size_t bytes)
{
    *p = hetad_device_memory(bytes);
    if (bytes > 0) hetad_check(cudaMemset(*p, 0, bytes));  // hetad_save_bytes may copy all of it  // if used
    return cudaSuccess;
}

static cudaError_t hetad_device_zeros(void **p, size_t bytes)
{
    *p = hetad_device_memory(bytes);
    if (bytes > 0) {
        hetad_check(cudaMemset(*p, 0, bytes));
        hetad_find(*p)->zero = 1;  // see hetad_was_zero  // if used
    }
    return cudaSuccess;
}

// Memory that the host uses too: a kind of its own in the registry (3), which is the device's for all else.
static cudaError_t hetad_managed_zeros(void **p, size_t bytes)
{
    if (bytes == 0) {
        *p = NULL;
        return cudaErrorInvalidValue;
    }
    if (hetad_can_reuse(bytes, 3)) *p = hetad_reuse(bytes, 3); else  // if used
    {
        hetad_check(cudaMallocManaged(p, bytes, cudaMemAttachGlobal));
        hetad_allocated(*p, bytes, 3);  // if used
    }
    hetad_check(cudaMemset(*p, 0, bytes));
    hetad_sharing = 1;  // if used
    return cudaSuccess;
}

static void *hetad_host_malloc(size_t bytes)
{
    if (hetad_can_reuse(bytes, 0)) return hetad_reuse(bytes, 0);  // if used
    void *p = malloc(bytes > 0 ? bytes : 1);
    if (p == NULL) {
        hetad_fail("out of host memory");
    }
    hetad_allocated(p, bytes, 0);  // if used
    return p;
}

static void *hetad_host_zeros(size_t bytes)
{
    void *p = hetad_host_malloc(bytes);
    return memset(p, 0, bytes);
}

static void hetad_device_free(void *p)
{
    hetad_check(cudaFree(p));
}

static void hetad_host_free(void *p)
{
    free(p);
}

static void hetad_release(void *p)
{
    if (p == NULL) {
        return;
    }
    int on_device = hetad_deallocated(p);
    if (hetad_unuse(p)) return;  // if used
    if (on_device) {
        hetad_check(cudaFree(p));
    } else {
        free(p);
    }
}
