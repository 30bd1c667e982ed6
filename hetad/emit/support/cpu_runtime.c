// The CPU as a backend: device memory is host memory, and a launch runs the kernel at once.
static void *hetad_cpu_malloc(size_t bytes)
{
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static int hetad_cpu_free(void *p)
{
    free(p);
    return 0;
}

static int hetad_cpu_copy(void *dst, const void *src, size_t bytes, int kind)
{
    if (kind < 0 || kind > 4) {
        return 21;  // cudaErrorInvalidMemcpyDirection
    }
    memmove(dst, src, bytes);
    return 0;
}

static int hetad_cpu_set(void *dst, int value, size_t bytes)
{
    memset(dst, value, bytes);
    return 0;
}

static int hetad_cpu_no_error(void)
{
    return 0;
}

// What CUDA refuses: an empty grid or block, more than 1024 threads, axes that are too long.
static inline int hetad_cpu_valid(const unsigned grid[3], const unsigned block[3])
{
    const size_t threads = (size_t)block[0] * block[1] * block[2];
    return threads > 0 && threads <= 1024 && block[0] <= 1024 && block[1] <= 1024 && block[2] <= 64 && grid[0] > 0
        && grid[0] <= 0x7fffffffu && grid[1] > 0 && grid[1] <= 65535 && grid[2] > 0 && grid[2] <= 65535;
}
