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
int cuStreamSynchronize(void *stream) { ENTER(stream); return 0; }

static int take(ptr *p, size_t bytes)
{
    if (bytes > capacity)
        return 2;
    *p = (ptr)(size_t)malloc(bytes);
    outstanding++;
    return 0;
}
int cuMemAlloc_v2(ptr *p, size_t bytes) { ENTER(bytes); return take(p, bytes); }
int cuMemFree_v2(ptr p) { ENTER(0); outstanding--; free((void *)(size_t)p); return 0; }
int cuMemGetInfo_v2(size_t *available, size_t *total) { *available = *total = 1 << 30; return 0; }
int cuMemAllocFromPoolAsync(ptr *p, size_t bytes, void *pool, void *stream) { ENTER(bytes); return take(p, bytes); }
int cuMemFreeAsync(ptr p, void *stream) { ENTER(stream); outstanding--; free((void *)(size_t)p); return 0; }
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
int cuMemcpyDtoDAsync_v2(ptr to, ptr from, size_t bytes, void *s) { ENTER(s); memmove((void *)to, (void *)from, bytes); return 0; }
int cuMemcpyAsync(ptr to, ptr from, size_t bytes, void *s) { ENTER(s); memmove((void *)to, (void *)from, bytes); return 0; }
int cuMemsetD8Async(ptr to, unsigned char value, size_t bytes, void *s) { ENTER(s); memset((void *)to, value, bytes); return 0; }

struct side { size_t x, y; int type; const void *host; ptr device; void *array; size_t pitch; };
int cuMemcpy2DAsync_v2(const struct { struct side from, to; size_t width, height; } *c, void *s)
{
    ENTER(c->from.type * 10 + c->to.type);
    const char *from = c->from.type == 1 ? c->from.host : (void *)c->from.device;
    char *to = c->to.type == 1 ? (void *)c->to.host : (void *)c->to.device;
    for (size_t i = 0; i < c->height; i++)
        memcpy(to + i * c->to.pitch, from + i * c->from.pitch, c->width);
    return 0;
}
int cuMemsetD2D8Async(ptr to, size_t pitch, unsigned char value, size_t width, size_t height, void *s)
{
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
    ENTER(stream);
    if (shared > (unsigned)max_dynamic)
        return 1;
    if (launcher != NULL)
        return launcher((int)(size_t)function, grid, block, shared, stream, args);
    ((void (*)(unsigned *, unsigned *, unsigned, void **))function)(grid, block, shared, args);
    return 0;
}

/* A kernel: out[i] = i + shared for each thread of a one-dimensional launch. */
void fake_kernel(unsigned *grid, unsigned *block, unsigned shared, void **args)
{
    int *out = *(int **)args[0];
    for (unsigned i = 0; i < grid[0] * block[0]; i++)
        out[i] = (int)(i + shared);
}
