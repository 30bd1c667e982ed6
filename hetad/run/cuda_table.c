/* The runtime table for CUDA: what hetad's generated host code calls, over the CUDA driver API.
 *
 * Python enters a program (hetad_cuda_enter), runs it, and leaves (hetad_cuda_leave); nothing in between is Python.
 * Everything happens in the calling thread's context, on one stream, CuPy's current one, so that it is ordered with
 * the CuPy work around it.
 */
#include "cuda_driver.h"

static void (*release_memory)(void); /* asks Python to give back what CuPy keeps for later */
static int have_pools, have_graphs;

static struct device {
    int ready, max_threads, max_block[3], max_grid[3], max_shared;
    void *pool;    /* NULL: plain cuMemAlloc */
    void *context; /* the primary one, once the table has asked for it */
} devices[DEVICES];

/* One program on one device, as Python made it. */
struct module {
    int count;
    void **functions;   /* CUfunction */
    const char **names; /* of the kernels, for messages */
    size_t *granted;    /* the dynamic shared memory that each is known to be allowed, 0 at first */
    const size_t *sizes; /* of the parameters of the kernels, one after the other */
    const int *first;    /* where those of a kernel begin; one more entry than kernels */
    const struct routine *routines; /* that are called in place of the kernels, or NULL */
};

struct recorder; /* see cuda_graph.c */

static _Thread_local struct {
    const struct module *module;
    struct device *device;
    void *stream;
    int other_streams; /* the program launched on another stream, so order on ours is not enough */
    struct recorder *recorder; /* of a program that runs as graphs */
    void *capturing;   /* the stream on which a graph is captured now */
    int last;          /* what cudaGetLastError will return */
    char message[512]; /* what went wrong, if `last` is an error that must not be passed over */
    int others, first, current; /* devices beside the one on which the program starts; see cuda_devices.h */
    const struct module *modules[DEVICES];
    void *first_stream;
} now;

static status failed(status code, const char *what)
{
    if (code != 0) {
        const char *name = NULL, *text = NULL;
        cuGetErrorName(code, &name);
        cuGetErrorString(code, &text);
        now.last = code;
        if (now.message[0] == '\0')
            snprintf(now.message, sizeof now.message, "%s: %s (%s)", what, name ? name : "unknown CUDA error",
                     text ? text : "?");
    }
    return code;
}

static status wait_for_all(void)
{
    if (now.other_streams)
        return cuCtxSynchronize();
    return cuStreamSynchronize(now.stream);
}

#include "cuda_devices.h"

/* --- the table -------------------------------------------------------------------------------------------------- */

static status allocate(device_ptr *p, size_t bytes, void *pool)
{
    return pool != NULL ? cuMemAllocFromPoolAsync(p, bytes, pool, now.stream) : cuMemAlloc_v2(p, bytes);
}

/* From a pool, or (NULL) to stay. */
static void *take(size_t bytes, void *pool)
{
    device_ptr p = 0;
    char what[96];
    status code;
    if (bytes == 0)
        bytes = 1; /* NULL means failure */
    code = allocate(&p, bytes, pool);
    if (code == OUT_OF_MEMORY) { /* take back what is only kept for later, here and in CuPy, and try again */
        cuCtxSynchronize();
        if (now.device->pool != NULL)
            cuMemPoolTrimTo(now.device->pool, 0);
        if (release_memory != NULL)
            release_memory();
        code = allocate(&p, bytes, pool);
    }
    snprintf(what, sizeof what, "allocating %zu bytes of device memory", bytes);
    return failed(code, what) ? NULL : (void *)(size_t)p;
}

static void *device_malloc(size_t bytes)
{
    return take(bytes, now.others > 0 ? NULL : now.device->pool); /* pools know nothing of peer access */
}

static _Atomic int managed_blocks; /* how many there are */

static void *managed_malloc(size_t bytes)
{
    device_ptr p = 0;
    status code = cuMemAllocManaged(&p, bytes, FOR_ALL);
    char what[96];
    snprintf(what, sizeof what, "allocating %zu bytes of managed memory", bytes);
    managed_blocks += code == 0;
    return failed(code, what) ? NULL : (void *)(size_t)p;
}

static int is_managed(void *p)
{
    int asked = IS_MANAGED, managed = 0;
    void *answer = &managed;
    if (managed_blocks == 0)
        return 0;
    return cuPointerGetAttributes(1, &asked, &answer, (device_ptr)(size_t)p) == 0 && managed;
}

static int device_free(void *p)
{
    status code = 0;
    if (p == NULL)
        return 0;
    if (is_managed(p)) {
        code = cuCtxSynchronize();
        managed_blocks -= code == 0;
        return failed(code == 0 ? cuMemFree_v2((device_ptr)(size_t)p) : code, "freeing managed memory");
    }
    if (now.other_streams)
        code = cuCtxSynchronize();
    if (now.others > 0)
        return failed(free_there(p), "freeing device memory");
    if (code == 0)
        code = now.device->pool != NULL ? cuMemFreeAsync((device_ptr)(size_t)p, now.stream)
                                        : cuMemFree_v2((device_ptr)(size_t)p);
    return failed(code, "freeing device memory");
}

/* Like cudaMemcpy, done when it returns if one side is the host's: pageable or pinned, the caller may reuse it. */
static int copy(void *dst, const void *src, size_t bytes, int kind)
{
    device_ptr to = (device_ptr)(size_t)dst, from = (device_ptr)(size_t)src;
    status code = 0;
    if (bytes == 0)
        return 0;
    if (now.other_streams)
        code = cuCtxSynchronize();
    if (code == 0 && is_elsewhere(dst, src))
        return failed(copy_between(dst, src, bytes, kind), "copying memory between devices");
    if (code == 0)
        switch (kind) {
        case 0:
            code = cuStreamSynchronize(now.stream);
            if (code == 0)
                memmove(dst, src, bytes);
            break;
        case 1:
            code = cuMemcpyHtoDAsync_v2(to, src, bytes, now.stream);
            break;
        case 2:
            code = cuMemcpyDtoHAsync_v2(dst, from, bytes, now.stream);
            break;
        case 3:
            code = cuMemcpyDtoDAsync_v2(to, from, bytes, now.stream);
            break;
        default:
            code = cuMemcpyAsync(to, from, bytes, now.stream);
        }
    if (code == 0 && (kind < 0 || kind == 1 || kind == 2 || kind > 3))
        code = cuStreamSynchronize(now.stream);
    return failed(code, "copying memory");
}

static int set(void *dst, int value, size_t bytes)
{
    status code = 0;
    if (bytes == 0)
        return 0;
    if (now.other_streams)
        code = cuCtxSynchronize();
    if (code == 0 && is_elsewhere(dst, dst))
        return failed(set_there(dst, bytes, value, bytes, 1), "setting memory of another device");
    if (code == 0)
        code = cuMemsetD8Async((device_ptr)(size_t)dst, (unsigned char)value, bytes, now.stream);
    return failed(code, "setting device memory");
}

static struct rows_side rows_at(const void *p, size_t pitch, int type)
{
    struct rows_side side = {.type = type, .pitch = pitch};
    if (type == ON_HOST)
        side.host = p;
    else
        side.device = (device_ptr)(size_t)p;
    return side;
}

static int copy_rows(void *dst, size_t to_pitch, const void *src, size_t from_pitch, size_t width, size_t height,
                     int kind)
{
    struct rows_copy rows = {.width = width, .height = height};
    status code = 0;
    if (kind < 0 || kind > 4)
        return failed(21, "copying rows of memory"); /* cudaErrorInvalidMemcpyDirection */
    if (now.other_streams)
        code = cuCtxSynchronize();
    if (code == 0 && is_elsewhere(dst, src))
        code = wait_for_devices();
    rows.from = rows_at(src, from_pitch, kind > 3 ? ON_EITHER : kind & 2 ? ON_DEVICE : ON_HOST);
    rows.to = rows_at(dst, to_pitch, kind > 3 ? ON_EITHER : kind & 1 ? ON_DEVICE : ON_HOST);
    if (code == 0)
        code = cuMemcpy2DAsync_v2(&rows, now.stream);
    if (code == 0 && (kind != 3 || is_elsewhere(dst, src)))
        code = cuStreamSynchronize(now.stream);
    return failed(code, "copying rows of memory");
}

static int set_rows(void *dst, size_t pitch, int value, size_t width, size_t height)
{
    status code = now.other_streams ? cuCtxSynchronize() : 0;
    if (code == 0 && is_elsewhere(dst, dst))
        code = set_there(dst, pitch, value, width, height);
    else if (code == 0)
        code = cuMemsetD2D8Async((device_ptr)(size_t)dst, pitch, (unsigned char)value, width, height, now.stream);
    return failed(code, "setting rows of device memory");
}

static int refuse_launch(const char *name, const unsigned grid[3], const unsigned block[3], const char *why)
{
    now.last = INVALID_CONFIGURATION;
    if (why != NULL && now.message[0] == '\0')
        snprintf(now.message, sizeof now.message,
                 "kernel %s<<<(%u, %u, %u), (%u, %u, %u)>>>: cudaErrorInvalidConfiguration: %s", name, grid[0],
                 grid[1], grid[2], block[0], block[1], block[2], why);
    return INVALID_CONFIGURATION;
}

/* Lets a kernel have more dynamic shared memory than the default, as the user's cudaFuncSetAttribute would. */
static status grant_shared(int kernel, size_t shared)
{
    const struct module *m = now.module;
    int fixed = 0;
    status code;
    char what[320];
    if (shared <= m->granted[kernel])
        return 0;
    code = cuFuncGetAttribute(&fixed, STATIC_SHARED, m->functions[kernel]);
    if (code == 0 && shared + (size_t)fixed <= DEFAULT_SHARED) {
        m->granted[kernel] = shared;
        return 0;
    }
    if (code == 0 && shared + (size_t)fixed > (size_t)now.device->max_shared) {
        now.last = 1; /* cudaErrorInvalidValue, as cudaFuncSetAttribute returns */
        if (now.message[0] == '\0')
            snprintf(now.message, sizeof now.message,
                     "kernel %s needs %zu bytes of shared memory per block (%d static, %zu dynamic); the device has "
                     "%d", m->names[kernel], shared + (size_t)fixed, fixed, shared, now.device->max_shared);
        return 1;
    }
    if (code == 0)
        code = cuFuncSetAttribute(m->functions[kernel], MAX_DYNAMIC_SHARED, (int)shared);
    if (code == 0)
        m->granted[kernel] = shared;
    snprintf(what, sizeof what, "kernel %s: asking for %zu bytes of dynamic shared memory", m->names[kernel], shared);
    return failed(code, what);
}

/* What CUDA would say of a launch; 0 if it can be made. */
static int check_launch(int kernel, const unsigned grid[3], const unsigned block[3], size_t shared)
{
    const struct device *d = now.device;
    const char *name = now.module->names[kernel];
    /* An empty grid is an error in CUDA that programs pass over: nothing runs, and nothing had to. */
    if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0)
        return refuse_launch(name, grid, block, NULL);
    if (block[0] == 0 || block[1] == 0 || block[2] == 0)
        return refuse_launch(name, grid, block, "the block is empty");
    for (int i = 0; i < 3; i++) {
        if (block[i] > (unsigned)d->max_block[i])
            return refuse_launch(name, grid, block, "the block is too large for the device");
        if (grid[i] > (unsigned)d->max_grid[i])
            return refuse_launch(name, grid, block, "the grid is too large for the device");
    }
    if ((unsigned long long)block[0] * block[1] * block[2] > (unsigned long long)d->max_threads)
        return refuse_launch(name, grid, block, "the block has more threads than the device allows");
    return shared != 0 ? grant_shared(kernel, shared) : 0;
}

#include "cuda_routines.h"

static status start(int kernel, const unsigned grid[3], const unsigned block[3], size_t shared, void *stream,
                    void **args)
{
    const struct module *m = now.module;
    char what[320];
    status code = call_routine(kernel, (int)(now.device - devices), stream,
                               stream != NULL && stream == now.capturing, args);
    if (code != NOT_CALLED)
        return code;
    code = cuLaunchKernel(m->functions[kernel], grid[0], grid[1], grid[2], block[0], block[1], block[2],
                          (unsigned)shared, stream, args, NULL);
    if (code != 0)
        snprintf(what, sizeof what, "kernel %s<<<(%u, %u, %u), (%u, %u, %u), %zu>>>", m->names[kernel], grid[0],
                 grid[1], grid[2], block[0], block[1], block[2], shared);
    return failed(code, what);
}

static int launch(int kernel, const unsigned grid[3], const unsigned block[3], size_t shared, void *stream,
                  void **args)
{
    status code = check_launch(kernel, grid, block, shared);
    if (code != 0)
        return code;
    if (stream == NULL || stream == now.stream) {
        stream = now.stream; /* as CUDA's default stream does, it waits for the others */
        if (now.other_streams)
            code = cuCtxSynchronize();
    } else { /* memory was made and filled in the order of our stream: the other one starts after that */
        code = cuStreamSynchronize(now.stream);
        now.other_streams = 1;
    }
    return code == 0 ? start(kernel, grid, block, shared, stream, args) : failed(code, "waiting before a launch");
}

/* As of launches, for what libraries are given. */
static void *on_stream(void *stream)
{
    if (stream == NULL || stream == now.stream) {
        if (now.other_streams)
            failed(cuCtxSynchronize(), "waiting for other streams");
        return now.stream;
    }
    failed(cuStreamSynchronize(now.stream), "waiting before another stream");
    now.other_streams = 1;
    return stream;
}

static int synchronize(void)
{
    return failed(wait_for_all(), "waiting for the device");
}

static int last_error(void)
{
    int code = now.last;
    now.last = 0;
    now.message[0] = '\0';
    return code;
}

static int memory_info(size_t *available, size_t *total)
{
    return failed(cuMemGetInfo_v2(available, total), "asking for the free memory");
}

static int attribute(int *value, int attribute, int device)
{
    return failed(cuDeviceGetAttribute(value, attribute, ordinal_of(device)), "asking for a device's attribute");
}

static const struct hetad_runtime table = {device_malloc, device_free, copy,        set,       launch,   synchronize,
                                           last_error,    memory_info, copy_rows,   set_rows,  attribute, managed_malloc,
                                           set_device,    device,      device_of,   peer,       on_stream, ordinal_of};

static void finish_recording(void);

/* --- what Python calls ------------------------------------------------------------------------------------------ */

/* Finds the driver's functions; returns NULL, or the name of one that is missing. */
const char *hetad_cuda_connect(void *(*find)(const char *name), void (*release)(void))
{
#define FIND(name, parameters) name = (status(*) parameters)find(#name);
#define REQUIRE(name, parameters) \
    if (name == NULL) \
        return #name;
#define AND_FOUND(name, parameters) &&name != NULL
    DRIVER(FIND)
    POOLS(FIND)
    GRAPHS(FIND)
    DRIVER(REQUIRE)
    release_memory = release;
    have_pools = 1 POOLS(AND_FOUND);
    have_graphs = 1 GRAPHS(AND_FOUND);
    return NULL;
}

/* Reads a device's limits and makes its memory pool; its primary context must be current.  Python calls it once for
 * each device before that is used, under a lock. */
int hetad_cuda_prepare(int ordinal)
{
    struct device *d;
    int pools = 0;
    status code = 0;
    if (ordinal < 0 || ordinal >= DEVICES)
        return 101; /* cudaErrorInvalidDevice */
    d = &devices[ordinal];
    if (d->ready)
        return 0;
#define LIMIT(place, attribute) \
    if (code == 0) \
        code = cuDeviceGetAttribute(place, attribute, ordinal);
    LIMIT(&d->max_threads, MAX_THREADS)
    for (int i = 0; i < 3; i++) {
        LIMIT(&d->max_block[i], MAX_BLOCK_X + i)
        LIMIT(&d->max_grid[i], MAX_GRID_X + i)
    }
    LIMIT(&d->max_shared, MAX_SHARED_OPTIN)
    if (have_pools)
        LIMIT(&pools, POOLS_SUPPORTED)
    if (code == 0 && pools) {
        /* A pool of our own: shadows and snapshots of one call serve the next.  It gives back what exceeds a
         * quarter of the device's memory whenever the program waits for the device. */
        struct pool_properties properties = {.allocation = 1, .location = 1, .device = ordinal};
        size_t total = 0;
        unsigned long long threshold;
        if (cuMemPoolCreate(&d->pool, &properties) != 0)
            d->pool = NULL;
        else if (cuDeviceTotalMem_v2(&total, ordinal) == 0) {
            threshold = total / 4;
            cuMemPoolSetAttribute(d->pool, RELEASE_THRESHOLD, &threshold);
        }
    }
    d->ready = code == 0;
    return code;
}

/* This thread will run a program on a device and stream. */
int hetad_cuda_enter(const struct module *module, int ordinal, void *stream)
{
    now.module = now.modules[ordinal] = module;
    now.device = &devices[ordinal];
    now.stream = now.first_stream = stream;
    now.first = ordinal;
    now.current = now.others = 0;
    now.other_streams = 0;
    now.recorder = NULL;
    now.last = 0;
    now.message[0] = '\0';
    return failed(make_current(ordinal), "making the device current");
}

/* Likewise, and the program may go on with this device. */
void hetad_cuda_enter_other(const struct module *module, int ordinal)
{
    now.modules[ordinal] = module;
    ++now.others;
}

/* The error that the program did not look at, if any; hetad_cuda_message tells more. */
int hetad_cuda_leave(int wait)
{
    if (now.recorder != NULL)
        finish_recording();
    if (now.other_streams || wait)
        failed(wait_for_all(), "waiting for the device");
    leave_devices();
    now.module = NULL;
    return now.message[0] != '\0' ? now.last : 0;
}

const char *hetad_cuda_message(void)
{
    return now.message;
}

const struct hetad_runtime *hetad_cuda_runtime(void)
{
    return &table;
}
