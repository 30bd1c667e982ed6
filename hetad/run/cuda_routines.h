/* Routines of cuBLAS and cuFFT in place of the kernels that stand for them (hetad/rules/routines.py): how each is called
 * with the arguments of such a launch.  Where a library cannot be had, or makes no handle or plan, the kernel runs.
 */
#include <stdatomic.h>
#include <stdlib.h>

struct routine {
    int form; /* NO_ROUTINE: the kernel is launched */
    void *function;
    const char *name;
    int on_device; /* where cuBLAS looks for scalars, and puts its result */
};

enum { /* as in FORMS of cuda_routines.py */
    NO_ROUTINE, AXPY, SCAL, COPY_VECTOR, DOT, ASUM, GEMV, GER, GEMM, GEMM_BATCH, C2C, R2C, C2R
};
enum {
    R2C_PLAN = 0x2a, C2R_PLAN = 0x2c, C2C_PLAN = 0x29, IN_DOUBLE = 0x40, /* of cufftType */
    KEPT_PLANS = 64,
    UNKNOWN_ERROR = 999, /* cudaErrorUnknown */
    NOT_CALLED = -1,
};

static int (*blas_create)(void **handle);
static int (*blas_set_stream)(void *handle, void *stream);
static int (*blas_set_pointer_mode)(void *handle, int mode);
static int (*fft_plan_1d)(int *plan, int n, int type, int batch);
static int (*fft_plan_2d)(int *plan, int rows, int columns, int type);
static int (*fft_set_stream)(int plan, void *stream);
static int (*fft_destroy)(int plan);

static atomic_flag library_lock = ATOMIC_FLAG_INIT; /* handles and plans hold the stream of the next call */
static _Atomic unsigned long long library_calls;

static struct blas {
    void *handle;
    int failed;
} blas_of[DEVICES];

struct plan {
    int device, rows, n, plane, type, handle;
    int stays; /* a graph has the plan's memory in it */
    void *stream;
    unsigned long long last_use;
};
static struct plan *plans;
static int plan_count, plan_room;
static unsigned long long plan_uses;

static void *blas_handle(int device, void *stream)
{
    struct blas *b = &blas_of[device];
    if (b->handle == NULL && !b->failed)
        b->failed = blas_create(&b->handle) != 0;
    return b->failed || blas_set_stream(b->handle, stream) != 0 ? NULL : b->handle;
}

#define INT(i) (*(int *)args[i])
#define LONG(i) (*(long long *)args[i])
#define POINTER(i) (*(void **)args[i])
#define FACTOR(i) (r->on_device ? POINTER(i) : args[i]) /* by its address */
typedef long long ll;

static int call_form(const struct routine *r, void *h, void **args)
{
    void *f = r->function;
    switch (r->form) {
    case AXPY:
        return ((int (*)(void *, int, void *, void *, int, void *, int))f)(h, INT(1), FACTOR(2), POINTER(3), INT(4),
                                                                           POINTER(5), INT(6));
    case SCAL:
        return ((int (*)(void *, int, void *, void *, int))f)(h, INT(1), FACTOR(2), POINTER(3), INT(4));
    case COPY_VECTOR: /* and swap */
        return ((int (*)(void *, int, void *, int, void *, int))f)(h, INT(1), POINTER(2), INT(3), POINTER(4), INT(5));
    case DOT:
        return ((int (*)(void *, int, void *, int, void *, int, void *))f)(h, INT(1), POINTER(2), INT(3), POINTER(4),
                                                                           INT(5), POINTER(6));
    case ASUM: /* and nrm2 */
        return ((int (*)(void *, int, void *, int, void *))f)(h, INT(1), POINTER(2), INT(3), POINTER(4));
    case GEMV:
        return ((int (*)(void *, int, int, int, void *, void *, int, void *, int, void *, void *, int))f)(
            h, INT(1), INT(2), INT(3), FACTOR(4), POINTER(5), INT(6), POINTER(7), INT(8), FACTOR(9), POINTER(10),
            INT(11));
    case GER:
        return ((int (*)(void *, int, int, void *, void *, int, void *, int, void *, int))f)(
            h, INT(1), INT(2), FACTOR(3), POINTER(4), INT(5), POINTER(6), INT(7), POINTER(8), INT(9));
    case GEMM:
        return ((int (*)(void *, int, int, int, int, int, void *, void *, int, void *, int, void *, void *, int))f)(
            h, INT(1), INT(2), INT(3), INT(4), INT(5), FACTOR(6), POINTER(7), INT(8), POINTER(9), INT(10), FACTOR(11),
            POINTER(12), INT(13));
    }
    return ((int (*)(void *, int, int, int, int, int, void *, void *, int, ll, void *, int, ll, void *, void *, int, ll,
                     int))f)(h, INT(1), INT(2), INT(3), INT(4), INT(5), FACTOR(6), POINTER(7), INT(8), LONG(9),
                             POINTER(10), INT(11), LONG(12), FACTOR(13), POINTER(14), INT(15), LONG(16), INT(17));
}

/* Handles look for scalars on the host, but in the calls that say otherwise. */
static int call_blas(const struct routine *r, void *h, void **args)
{
    int code = r->on_device ? blas_set_pointer_mode(h, 1) : 0;
    if (code == 0)
        code = call_form(r, h, args);
    if (r->on_device)
        blas_set_pointer_mode(h, 0);
    return code;
}

/* Makes room for one more plan: the one that was used least recently goes, if there are many. */
static struct plan *new_plan(void)
{
    struct plan *oldest = NULL, *moved;
    for (struct plan *p = plans; p < plans + plan_count; p++)
        if (!p->stays && (oldest == NULL || p->last_use < oldest->last_use))
            oldest = p;
    if (plan_count >= KEPT_PLANS && oldest != NULL) {
        fft_destroy(oldest->handle);
        *oldest = plans[--plan_count];
    }
    if (plan_count == plan_room) {
        moved = realloc(plans, (plan_room + KEPT_PLANS) * sizeof *plans);
        if (moved == NULL)
            return NULL;
        plans = moved;
        plan_room += KEPT_PLANS;
    }
    return &plans[plan_count];
}

/* The plan of a call; each stream has its own, since transforms at the same time need memory of their own. */
static struct plan *plan_of(int device, int type, void *stream, void **args)
{
    const struct plan wanted = {.device = device, .rows = INT(0), .n = INT(1), .plane = INT(2), .type = type,
                                .stream = stream};
    struct plan *p;
    for (p = plans; p < plans + plan_count; p++)
        if (p->device == device && p->rows == wanted.rows && p->n == wanted.n && p->plane == wanted.plane
            && p->type == type && p->stream == stream)
            return p;
    p = new_plan();
    if (p == NULL)
        return NULL;
    *p = wanted;
    if ((p->plane ? fft_plan_2d(&p->handle, p->rows, p->n, type) : fft_plan_1d(&p->handle, p->n, type, p->rows)) != 0)
        return NULL;
    plan_count++;
    return p;
}

static int call_fft(const struct routine *r, int device, void *stream, int capturing, void **args)
{
    const int in_double = r->name[9] == 'Z' || r->name[9] == 'D'; /* behind cufftExec */
    const int type = (r->form == C2C ? C2C_PLAN : r->form == R2C ? R2C_PLAN : C2R_PLAN) | (in_double ? IN_DOUBLE : 0);
    struct plan *p = plan_of(device, type, capturing ? now.stream : stream, args);
    void *in = POINTER(3), *out = POINTER(4), *work;
    status code;
    if (p == NULL || fft_set_stream(p->handle, stream) != 0)
        return NOT_CALLED;
    p->last_use = ++plan_uses;
    p->stays |= capturing;
    if (r->form == C2C)
        return ((int (*)(int, void *, void *, int))r->function)(p->handle, in, out, INT(5));
    if (r->form == C2R) { /* which may destroy what it is given */
        work = POINTER(5);
        code = cuMemcpyDtoDAsync_v2((device_ptr)(size_t)work, (device_ptr)(size_t)in,
                                    (size_t)p->rows * (p->n / 2 + 1) * (in_double ? 16 : 8), stream);
        if (code != 0)
            return code;
        in = work;
    }
    return ((int (*)(int, void *, void *))r->function)(p->handle, in, out);
}

/* The call of the routine that a kernel stands for; NOT_CALLED where the kernel must be launched. */
static status call_routine(int kernel, int device, void *stream, int capturing, void **args)
{
    const struct routine *r = now.module->routines != NULL ? &now.module->routines[kernel] : NULL;
    void *handle;
    int code = NOT_CALLED;
    if (r == NULL || r->form == NO_ROUTINE)
        return NOT_CALLED;
    while (atomic_flag_test_and_set(&library_lock))
        ;
    if (r->form >= C2C)
        code = call_fft(r, device, stream, capturing, args);
    else if ((handle = blas_handle(device, stream)) != NULL)
        code = call_blas(r, handle, args);
    atomic_flag_clear(&library_lock);
    if (code == NOT_CALLED)
        return NOT_CALLED;
    library_calls++;
    if (code != 0) {
        now.last = UNKNOWN_ERROR;
        if (now.message[0] == '\0')
            snprintf(now.message, sizeof now.message, "%s fails with status %d", r->name, code);
        return UNKNOWN_ERROR;
    }
    return 0;
}

/* Finds what makes handles and plans. */
void hetad_cuda_connect_libraries(void *(*find)(const char *name))
{
    blas_create = (int (*)(void **))find("cublasCreate_v2");
    blas_set_stream = (int (*)(void *, void *))find("cublasSetStream_v2");
    blas_set_pointer_mode = (int (*)(void *, int))find("cublasSetPointerMode_v2");
    fft_plan_1d = (int (*)(int *, int, int, int))find("cufftPlan1d");
    fft_plan_2d = (int (*)(int *, int, int, int))find("cufftPlan2d");
    fft_set_stream = (int (*)(int, void *))find("cufftSetStream");
    fft_destroy = (int (*)(int))find("cufftDestroy");
}

/* How often a library was called in this process. */
unsigned long long hetad_cuda_library_calls(void)
{
    return library_calls;
}
