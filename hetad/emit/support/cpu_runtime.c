// The CPU as a backend: device memory is host memory, and a launch runs the kernel at once.
static void *hetad_cpu_malloc(size_t bytes)
{
    void *const p = bytes < SIZE_MAX - 64 ? aligned_alloc(64, (bytes + 63) / 64 * 64) : NULL;
#ifdef HETAD_CHECKED
    hetad_trim(p, bytes);
#endif
    return p;
}

static void *hetad_cpu_device_malloc(size_t bytes)
{
    return hetad_cpu_give(hetad_cpu_malloc(bytes), bytes, hetad_cpu_current);
}

static void *hetad_cpu_managed_malloc(size_t bytes)
{
    return hetad_cpu_give(hetad_cpu_malloc(bytes), bytes, HETAD_OF_ALL);
}

static int hetad_cpu_free(void *p)
{
    hetad_cpu_take(p);
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

static int hetad_cpu_copy_rows(void *dst, size_t to_pitch, const void *src, size_t from_pitch, size_t width,
                               size_t height, int kind)
{
    if (kind < 0 || kind > 4) {
        return 21;  // cudaErrorInvalidMemcpyDirection
    }
    for (size_t row = 0; row < height; ++row) {
        memmove((char *)dst + row * to_pitch, (const char *)src + row * from_pitch, width);
    }
    return 0;
}

static int hetad_cpu_set_rows(void *dst, size_t pitch, int value, size_t width, size_t height)
{
    for (size_t row = 0; row < height; ++row) {
        memset((char *)dst + row * pitch, value, width);
    }
    return 0;
}

// The attributes of a device of compute capability 7.0 with one multiprocessor; 0 for those nobody asks a CPU for.
static int hetad_cpu_attribute(int *value, int attribute, int device)
{
    (void)device;
    static const int values[] = {
        [1] = 1024, [2] = 1024, [3] = 1024, [4] = 64, [5] = 0x7fffffff, [6] = 65535, [7] = 65535, [8] = 49152,
        [9] = 65536, [10] = 32, [12] = 65536, [13] = 1000000, [14] = 512, [16] = 1, [36] = 1000000, [37] = 64,
        [38] = 1 << 20, [39] = 2048, [75] = 7, [76] = 0, [81] = 98304, [82] = 65536, [97] = 98304, [106] = 32,
    };
    *value = attribute >= 0 && attribute < (int)(sizeof values / sizeof *values) ? values[attribute] : 0;
    return 0;
}

// A device of 16 GB, all free: what the machine has free is no property of the program.
static int hetad_cpu_memory(size_t *available, size_t *total)
{
    *available = *total = (size_t)16 << 30;
    return 0;
}

static int hetad_cpu_synchronize(void)
{
    return 0;
}

// The error of a launch that the program did not ask for; the text is empty where programs may pass over it.
static int hetad_cpu_error;
static char hetad_cpu_text[512];

static int hetad_cpu_last_error(void)
{
    const int error = hetad_cpu_error;
    if (error != cudaErrorIllegalAddress) {  // after which a GPU does nothing more
        hetad_cpu_error = 0;
        hetad_cpu_text[0] = 0;
    }
    return error;
}

// What the program left behind: the message of an error that must not pass, or NULL.
const char *hetad_cpu_leave(void)
{
    static char text[512];
    memcpy(text, hetad_cpu_text, sizeof text);
    hetad_cpu_error = 0;
    hetad_cpu_text[0] = 0;
    hetad_cpu_leave_devices();
    return text[0] != 0 ? text : NULL;
}

// What CUDA refuses: an empty grid or block, more than 1024 threads, axes that are too long.
static const char *hetad_cpu_refusal(const unsigned grid[3], const unsigned block[3])
{
    const size_t threads = (size_t)block[0] * block[1] * block[2];
    if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0) {
        return "";
    }
    if (threads == 0) {
        return "the block is empty";
    }
    if (threads > 1024) {
        return "the block has more than 1024 threads";
    }
    if (block[2] > 64) {
        return "the block is too large";
    }
    return grid[0] > 0x7fffffffu || grid[1] > 65535 || grid[2] > 65535 ? "the grid is too large" : NULL;
}

static int hetad_cpu_refuse(const char *kernel, const unsigned grid[3], const unsigned block[3], const char *why)
{
    hetad_cpu_error = cudaErrorInvalidConfiguration;
    if (*why != 0 && hetad_cpu_text[0] == 0) {
        snprintf(hetad_cpu_text, sizeof hetad_cpu_text,
                 "kernel %s<<<(%u, %u, %u), (%u, %u, %u)>>>: cudaErrorInvalidConfiguration: %s", kernel, grid[0], grid[1],
                 grid[2], block[0], block[1], block[2], why);
    }
    return cudaErrorInvalidConfiguration;
}

// A kernel is given memory of another device.
static int hetad_cpu_foreign(const char *kernel, int owner)
{
    hetad_cpu_error = cudaErrorIllegalAddress;
    if (hetad_cpu_text[0] == 0) {
        snprintf(hetad_cpu_text, sizeof hetad_cpu_text,
                 "kernel %s on device %d is given memory of device %d, which it cannot access: copy it with "
                 "cudaMemcpyPeer, or call cudaDeviceEnablePeerAccess(%d, 0) before", kernel, hetad_cpu_current, owner, owner);
    }
    return cudaErrorIllegalAddress;
}
