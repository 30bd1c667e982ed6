// The kernels' part of checked programs: the first access that leaves its memory is written down, and its thread ends.
__device__ struct hetad_launch_checks hetad_checks;

static __device__ struct hetad_extent hetad_variable_of(const char *p);  // of the device, to which there may be pointers

static __device__ struct hetad_extent hetad_extent_at(const volatile void *p, size_t bytes)
{
    const struct hetad_extent found = {(const char *)p, bytes};
    return found;
}

static __device__ size_t hetad_dynamic_bytes()
{
    unsigned bytes;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
    return bytes;
}

// The shared memory of a block, behind at most a kilobyte of the system's.
static __device__ struct hetad_extent hetad_shared_extent()
{
    unsigned long long start;
    unsigned bytes;
    asm("{ .reg .u64 first; mov.u64 first, 0; cvta.shared.u64 %0, first; }" : "=l"(start));
    asm("mov.u32 %0, %%total_smem_size;" : "=r"(bytes));
    return hetad_extent_at((const char *)start, bytes + (size_t)1024);
}

// What a kernel may reach by a pointer: a piece, a variable, its block's shared memory, or the thread's own.
static __device__ __noinline__ struct hetad_extent hetad_extent_of(const volatile void *pointer)
{
    const char *const p = (const char *)pointer;
    size_t low = 0, high = hetad_checks.count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (hetad_checks.pieces[middle].start <= p) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low > 0) {
        const struct hetad_piece piece = hetad_checks.pieces[low - 1];
        if (p <= piece.start + piece.bytes) {
            return hetad_extent_at(piece.start, piece.state < HETAD_FREED ? piece.bytes : 0);
        }
    }
    if (__isShared(p)) {
        return hetad_shared_extent();
    }
    return __isLocal(p) ? hetad_extent_at(nullptr, ~(size_t)0 >> 1) : hetad_variable_of(p);
}

// In functions of host and device.
static __device__ __forceinline__ struct hetad_extent hetad_host_extent_of(const volatile void *pointer)
{
    return hetad_extent_of(pointer);
}

static __device__ __noinline__ void hetad_outside(const char *p, struct hetad_extent e, int site)
{
    if (atomicCAS(&hetad_checks.found, 0, 1) == 0) {
        hetad_checks.site = site;
        hetad_checks.address = p;
        hetad_checks.extent = e;
        hetad_checks.block[0] = blockIdx.x, hetad_checks.block[1] = blockIdx.y, hetad_checks.block[2] = blockIdx.z;
        hetad_checks.thread[0] = threadIdx.x, hetad_checks.thread[1] = threadIdx.y, hetad_checks.thread[2] = threadIdx.z;
    }
    asm volatile("exit;");
}

// The address of an access of so many bytes.
static __device__ __forceinline__ void *hetad_within(const volatile void *p, size_t bytes, struct hetad_extent e, int site)
{
    const size_t offset = (size_t)((const char *)p - e.start);
    if (offset > e.bytes || e.bytes - offset < bytes) {
        hetad_outside((const char *)p, e, site);
    }
    return (void *)p;
}

// The same of a place that is reached by a pointer that is computed once.
template <typename Pointer, typename Place>
static __device__ __forceinline__ void *hetad_within_by(Pointer pointer, Place place, size_t bytes, int site)
{
    return hetad_within(place(pointer), bytes, hetad_extent_of(pointer), site);
}
