// Whether hardware copies rows that lie so far apart.
static int hetad_is_pitch(size_t bytes)
{
    return bytes > 0 && bytes <= 0x7fffffff;
}

// cudaMemcpy for each set, where the parts of dst and src lie so far apart.
static cudaError_t hetad_copy_sets(void *dst, size_t to, const void *src, size_t from, size_t bytes, int kind)
{
    if (to == bytes && from == bytes) {
        return cudaMemcpy(dst, src, bytes * hetad_sets, (cudaMemcpyKind)kind);
    }
    if (hetad_is_pitch(to) && hetad_is_pitch(from)) {
        return cudaMemcpy2D(dst, to, src, from, bytes, hetad_sets, (cudaMemcpyKind)kind);
    }
    cudaError_t error = cudaSuccess;
    for (size_t set = 0; set < hetad_sets && error == cudaSuccess; ++set) {
        error = cudaMemcpy((char *)dst + set * to, (const char *)src + set * from, bytes, (cudaMemcpyKind)kind);
    }
    return error;
}

// cudaMemset likewise.
static cudaError_t hetad_fill_sets(void *dst, size_t to, int value, size_t bytes)
{
    if (to == bytes) {
        return cudaMemset(dst, value, bytes * hetad_sets);
    }
    if (hetad_is_pitch(to)) {
        return cudaMemset2D(dst, to, value, bytes, hetad_sets);
    }
    cudaError_t error = cudaSuccess;
    for (size_t set = 0; set < hetad_sets && error == cudaSuccess; ++set) {
        error = cudaMemset((char *)dst + set * to, value, bytes);
    }
    return error;
}

static void hetad_clear_sets(void *p, size_t bytes, int on_device)
{
    if (p == NULL || bytes == 0) {
        return;
    }
    const size_t each = hetad_set_bytes(p);
    if (on_device) {
        hetad_check(hetad_fill_sets(p, each, 0, bytes));
        return;
    }
    for (size_t set = 0; set < (each > 0 ? hetad_sets : 1); ++set) {
        memset((char *)p + set * each, 0, bytes);
    }
}

// What the host has for each set, on the device: one value behind the other, in memory that is allocated the first time.
static void hetad_upload(void **to, const void *from, size_t size)
{
    if (*to == NULL) {
        *to = hetad_device_memory(size * hetad_sets);
    }
    hetad_check(hetad_copy_sets(*to, size, from, hetad_set_bytes(from), size, cudaMemcpyHostToDevice));
}
