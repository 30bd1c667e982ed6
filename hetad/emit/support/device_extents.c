// Checked kernels on a GPU: the table of its backend, with memory that is noted, and launches that are looked at when
// they are done.
static const struct hetad_runtime *hetad_device;
static void *hetad_device_checks;  // where the device has its hetad_checks

// Python calls this before each call.
void hetad_use_checks(void *there)
{
    hetad_device_checks = there;
}

static const char *hetad_kernel_name(int kernel);

static void *hetad_noted_malloc(size_t bytes)
{
    void *const p = hetad_device->device_malloc(bytes);
    hetad_trim(p, bytes);
    return p;
}

static void *hetad_noted_managed_malloc(size_t bytes)
{
    void *const p = hetad_device->managed_malloc(bytes);
    hetad_trim(p, bytes);
    return p;
}

static int hetad_noted_free(void *p)
{
    hetad_mark_gone(p);
    return hetad_device->device_free(p);
}

// Hands the pieces to the kernels, runs one, and asks what it has found.
static int hetad_watched_launch(
    int kernel, const unsigned grid[3], const unsigned block[3], size_t shared, void *stream, void **args)
{
    const size_t bytes = hetad_memory.count * sizeof *hetad_memory.pieces;
    struct hetad_piece *const there = (struct hetad_piece *)hetad_device->device_malloc(bytes);
    if (there == NULL) {
        return cudaErrorMemoryAllocation;
    }
    struct hetad_launch_checks checks = {.pieces = there, .count = hetad_memory.count};
    int code = hetad_device->copy(there, hetad_memory.pieces, bytes, cudaMemcpyHostToDevice);
    code = code != 0 ? code : hetad_device->copy(hetad_device_checks, &checks, sizeof checks, cudaMemcpyHostToDevice);
    code = code != 0 ? code : hetad_device->launch(kernel, grid, block, shared, stream, args);
    code = code != 0 ? code : hetad_device->synchronize();
    code = code != 0 ? code : hetad_device->copy(&checks, hetad_device_checks, sizeof checks, cudaMemcpyDeviceToHost);
    hetad_device->device_free(there);
    if (code == 0 && checks.found) {
        const dim3 blocks = {grid[0], grid[1], grid[2]}, threads = {block[0], block[1], block[2]};
        hetad_enter(hetad_kernel_name(kernel), blocks, threads);
        const dim3 in_block = {checks.block[0], checks.block[1], checks.block[2]};
        const dim3 thread = {checks.thread[0], checks.thread[1], checks.thread[2]};
        hetad_outside(checks.address, checks.extent, checks.site, in_block, thread);
    }
    return code;
}

static const struct hetad_runtime *hetad_checked_runtime(const struct hetad_runtime *device)
{
    static struct hetad_runtime checked;
    hetad_device = device;
    checked = *device;
    checked.device_malloc = hetad_noted_malloc;
    checked.managed_malloc = hetad_noted_managed_malloc;
    checked.device_free = hetad_noted_free;
    checked.launch = hetad_watched_launch;
    return &checked;
}
