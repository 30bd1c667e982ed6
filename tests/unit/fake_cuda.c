/* A CUDA driver for tests, on host memory: as much of libcuda as hetad/run/cuda_table.c uses.
 *
 * A "kernel" is a C function void(grid, block, shared, args), or its number if there is a launcher.  Every call is logged; `fake_fail` makes the call of a
 * name fail with an error from then on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long ptr;
static char journal[8192];
static char failing[64];
static int failing_with, device = -1, max_dynamic = 48 * 1024, outstanding;
static size_t capacity = (size_t)-1;
typedef int launcher_type(int kernel, unsigned *grid, unsigned *block, size_t shared, void *stream, void **args);
static launcher_type *launcher;

/* What a graph does: calls with what they were given. */
struct call {
    int what;
    void *function, *args[64];
    unsigned grid[3], block[3], shared;
    ptr to, from;
    int value;
    size_t bytes, height, to_pitch, from_pitch;
    char cells[64 * 256];
};
struct graph {
    int count;
    struct call calls[1024];
};
static struct graph *captured; /* while a capture goes on */
static const void *const capturing = &captured;

static struct call *recorded(void *stream, int what)
{
    struct call *c;
    if (captured == NULL || stream != capturing)
        return NULL;
    c = &captured->calls[captured->count++];
    memset(c, 0, sizeof *c);
    c->what = what;
    return c;
}

const char *fake_journal(void)
{
    static char copy[sizeof journal];
    memcpy(copy, journal, sizeof journal);
    journal[0] = 0;
    return copy;
}
void fake_fail(const char *name, int code)
{
    snprintf(failing, sizeof failing, "%s", name);
    failing_with = code;
}
void fake_launcher(launcher_type *run) { launcher = run; }
void fake_capacity(size_t bytes) { capacity = bytes; }
int fake_outstanding(void) { return outstanding; }

/* The sizes of the parameters of each kernel, by its number; 0 after the last. */
static int (*sizes)[64];
void fake_parameters(int kernel, int count, const int *each)
{
    sizes = realloc(sizes, (kernel + 1) * sizeof *sizes);
    memcpy(sizes[kernel], each, count * sizeof *each);
    sizes[kernel][count] = 0;
}

static int enter(const char *name, long detail)
{
    size_t n = strlen(journal);
    snprintf(journal + n, sizeof journal - n, "%s %ld\n", name, detail);
    return strcmp(name, failing) == 0 ? failing_with : 0;
}
#define ENTER(detail) \
    do { \
        int code_ = enter(__func__, (long)(detail)); \
        if (code_) \
            return code_; \
    } while (0)

int cuGetErrorName(int code, const char **text)
{
    *text = code == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : code == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_OTHER";
    return 0;
}
int cuGetErrorString(int code, const char **text)
{
    *text = "what it means";
    return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int ordinal)
{
    switch (attribute) {
    case 1: case 2: case 3: *value = 1024; break;
    case 4: *value = 64; break;
    case 5: *value = 0x7fffffff; break;
    case 6: case 7: *value = 65535; break;
    case 97: *value = 100 * 1024; break;
    case 115: *value = ordinal == 0; break;
    default: return 1;
    }
    return 0;
}
int cuDeviceTotalMem_v2(size_t *bytes, int ordinal) { *bytes = 1 << 30; return 0; }
int cuDevicePrimaryCtxRetain(void **context, int ordinal) { *context = (void *)(long)(ordinal + 1); return 0; }
int cuCtxGetCurrent(void **context) { *context = (void *)(long)(device + 1); return 0; }
int cuCtxSetCurrent(void *context) { device = (int)(long)context - 1; ENTER(device); return 0; }
int cuCtxGetDevice(int *ordinal) { *ordinal = device; return 0; }
int cuCtxSynchronize(void) { ENTER(0); return 0; }
static unsigned char peers[4][4];
int cuDeviceCanAccessPeer(int *can, int one, int other) { *can = one != other && other != 3; return 0; }
int cuCtxEnablePeerAccess(void *context, unsigned flags)
{
    const int other = (int)(long)context - 1;
    ENTER(other);
    if (flags != 0 || peers[device][other])
        return 704;
    peers[device][other] = 1;
    return 0;
}
int cuCtxDisablePeerAccess(void *context)
{
    const int other = (int)(long)context - 1;
    ENTER(other);
    if (!peers[device][other])
        return 705;
    peers[device][other] = 0;
    return 0;
}
int cuStreamSynchronize(void *stream) { ENTER(stream); return 0; }

static ptr managed[64];
static struct owner { ptr start; size_t bytes; int device; } owners[256]; /* of memory that was allocated last */
static int owned;
static struct owner *owner_of(ptr p)
{
    for (int i = 0; i < 256; i++)
        if (p >= owners[i].start && p - owners[i].start < owners[i].bytes)
            return &owners[i];
    return NULL;
}
static void disown(ptr p)
{
    struct owner *o = owner_of(p);
    if (o != NULL)
        o->bytes = 0;
    for (int i = 0; i < 64; i++)
        if (managed[i] == p)
            managed[i] = 0;
}
static int take(ptr *p, size_t bytes)
{
    if (bytes > capacity)
        return 2;
    *p = (ptr)(size_t)malloc(bytes);
    outstanding++;
    owners[owned % 256] = (struct owner){*p, bytes, device};
    owned++;
    return 0;
}
int cuMemAlloc_v2(ptr *p, size_t bytes) { ENTER(bytes); return take(p, bytes); }
int cuMemFree_v2(ptr p) { ENTER(0); outstanding--; disown(p); free((void *)(size_t)p); return 0; }
static int managed_count;
int cuMemAllocManaged(ptr *p, size_t bytes, unsigned flags)
{
    int code;
    ENTER(bytes);
    code = take(p, bytes);
    if (code == 0)
        managed[managed_count++ % 64] = *p;
    return code;
}
static int attribute_of(int attribute, ptr p)
{
    const struct owner *o = owner_of(p);
    int found = 0;
    switch (attribute) {
    case 2: return o != NULL ? 2 : 0;
    case 9: return o != NULL ? o->device : -2;
    default:
        for (int i = 0; i < 64; i++)
            found |= managed[i] == p;
        return found;
    }
}
int cuPointerGetAttributes(unsigned count, const int *attributes, void **data, ptr p)
{
    for (unsigned i = 0; i < count; i++) {
        if (attributes[i] != 2 && attributes[i] != 8 && attributes[i] != 9)
            return 1;
        *(int *)data[i] = attribute_of(attributes[i], p);
    }
    return 0;
}
int cuMemGetInfo_v2(size_t *available, size_t *total) { *available = *total = 1 << 30; return 0; }
int cuMemAllocFromPoolAsync(ptr *p, size_t bytes, void *pool, void *stream) { ENTER(bytes); return take(p, bytes); }
int cuMemFreeAsync(ptr p, void *stream) { ENTER(stream); outstanding--; disown(p); free((void *)(size_t)p); return 0; }
int cuMemPoolCreate(void **pool, const void *properties)
{
    static const int expected[4] = {1, 0, 1, 0};
    *pool = &journal;
    return memcmp(properties, expected, sizeof expected) != 0;
}
int cuMemPoolSetAttribute(void *pool, int attribute, void *value)
{
    ENTER(*(unsigned long long *)value);
    return attribute != 4;
}
int cuMemPoolTrimTo(void *pool, size_t bytes) { ENTER(bytes); return 0; }

int cuMemcpyHtoDAsync_v2(ptr to, const void *from, size_t bytes, void *s) { ENTER(s); memcpy((void *)to, from, bytes); return 0; }
int cuMemcpyDtoHAsync_v2(void *to, ptr from, size_t bytes, void *s) { ENTER(s); memcpy(to, (void *)from, bytes); return 0; }
int cuMemcpyDtoDAsync_v2(ptr to, ptr from, size_t bytes, void *s)
{
    struct call *c = recorded(s, 1);
    if (c != NULL)
        return c->to = to, c->from = from, c->bytes = bytes, 0;
    ENTER(s);
    memmove((void *)to, (void *)from, bytes);
    return 0;
}
int cuMemcpyAsync(ptr to, ptr from, size_t bytes, void *s) { ENTER(s); memmove((void *)to, (void *)from, bytes); return 0; }
int cuMemsetD8Async(ptr to, unsigned char value, size_t bytes, void *s)
{
    struct call *c = recorded(s, 2);
    if (c != NULL)
        return c->to = to, c->value = value, c->bytes = bytes, 0;
    ENTER(s);
    memset((void *)to, value, bytes);
    return 0;
}

struct side { size_t x, y; int type; const void *host; ptr device; void *array; size_t pitch; };
int cuMemcpy2DAsync_v2(const struct { struct side from, to; size_t width, height; } *c, void *s)
{
    struct call *later = recorded(s, 3);
    if (later != NULL) {
        later->to = c->to.device, later->from = c->from.device, later->bytes = c->width, later->height = c->height;
        later->to_pitch = c->to.pitch, later->from_pitch = c->from.pitch;
        return 0;
    }
    ENTER(c->from.type * 10 + c->to.type);
    const char *from = c->from.type == 1 ? c->from.host : (void *)c->from.device;
    char *to = c->to.type == 1 ? (void *)c->to.host : (void *)c->to.device;
    for (size_t i = 0; i < c->height; i++)
        memcpy(to + i * c->to.pitch, from + i * c->from.pitch, c->width);
    return 0;
}
int cuMemsetD2D8Async(ptr to, size_t pitch, unsigned char value, size_t width, size_t height, void *s)
{
    struct call *c = recorded(s, 4);
    if (c != NULL)
        return c->to = to, c->to_pitch = pitch, c->value = value, c->bytes = width, c->height = height, 0;
    ENTER(s);
    for (size_t i = 0; i < height; i++)
        memset((char *)to + i * pitch, value, width);
    return 0;
}

int cuFuncGetAttribute(int *value, int attribute, void *function) { *value = attribute == 1 ? 1024 : -1; return 0; }
int cuFuncSetAttribute(void *function, int attribute, int value) { ENTER(value); max_dynamic = value; return attribute != 8; }
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **args, void **extra)
{
    unsigned grid[3] = {gx, gy, gz}, block[3] = {bx, by, bz};
    struct call *c = recorded(stream, 0);
    if (c != NULL) {
        c->function = function;
        c->shared = shared;
        memcpy(c->grid, grid, sizeof grid);
        memcpy(c->block, block, sizeof block);
        char *cell = c->cells;
        for (int i = 0; sizes[(size_t)function][i] != 0; i++, cell += 256)
            memcpy(cell, args[i], sizes[(size_t)function][i]);
        return 0;
    }
    ENTER(stream);
    if (shared > (unsigned)max_dynamic)
        return 1;
    for (int i = 0; sizes != NULL && launcher != NULL && sizes[(size_t)function][i] != 0; i++) {
        const struct owner *o = sizes[(size_t)function][i] == 8 ? owner_of(*(ptr *)args[i]) : NULL;
        if (o != NULL && o->device != device && !peers[device][o->device])
            return 700;
    }
    if (launcher != NULL)
        return launcher((int)(size_t)function, grid, block, shared, stream, args);
    ((void (*)(unsigned *, unsigned *, unsigned, void **))function)(grid, block, shared, args);
    return 0;
}

int cuStreamCreate(void **stream, unsigned flags) { ENTER(flags); *stream = (void *)capturing; return 0; }
int cuStreamDestroy_v2(void *stream) { return 0; }
int cuStreamBeginCapture_v2(void *stream, int mode)
{
    ENTER(mode);
    captured = calloc(1, sizeof *captured);
    return 0;
}
int cuStreamEndCapture(void *stream, void **graph) { *graph = captured; captured = NULL; ENTER(0); return 0; }
int cuGraphInstantiateWithFlags(void **executable, void *graph, unsigned long long flags)
{
    struct graph *copy;
    ENTER(((struct graph *)graph)->count);
    copy = malloc(sizeof *copy);
    memcpy(copy, graph, sizeof *copy);
    for (int i = 0; i < copy->count; i++)
        for (int k = 0; k < 63; k++)
            copy->calls[i].args[k] = copy->calls[i].cells + 256 * k;
    outstanding++;
    *executable = copy;
    return 0;
}
int cuGraphExecDestroy(void *executable) { ENTER(0); outstanding--; free(executable); return 0; }
int cuGraphDestroy(void *graph) { free(graph); return 0; }
int cuGraphLaunch(void *executable, void *stream)
{
    struct graph *g = executable;
    ENTER(g->count);
    for (int i = 0; i < g->count; i++) {
        struct call *c = &g->calls[i];
        struct { struct side from, to; size_t width, height; } rows = {
            {.type = 2, .device = c->from, .pitch = c->from_pitch}, {.type = 2, .device = c->to, .pitch = c->to_pitch},
            c->bytes, c->height};
        switch (c->what) {
        case 0:
            cuLaunchKernel(c->function, c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2],
                           c->shared, stream, c->args, NULL);
            break;
        case 1: cuMemcpyDtoDAsync_v2(c->to, c->from, c->bytes, stream); break;
        case 2: cuMemsetD8Async(c->to, (unsigned char)c->value, c->bytes, stream); break;
        case 3: cuMemcpy2DAsync_v2((void *)&rows, stream); break;
        case 4: cuMemsetD2D8Async(c->to, c->to_pitch, (unsigned char)c->value, c->bytes, c->height, stream);
        }
    }
    return 0;
}

/* A kernel: out[i] = i + shared for each thread of a one-dimensional launch. */
void fake_kernel(unsigned *grid, unsigned *block, unsigned shared, void **args)
{
    int *out = *(int **)args[0];
    for (unsigned i = 0; i < grid[0] * block[0]; i++)
        out[i] = (int)(i + shared);
}
