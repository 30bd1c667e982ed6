// The oracle: every thread of a block has a stack of its own and runs until it waits for others.
#if defined __has_include
#if !__has_include(<ucontext.h>)
#error "HETAD_CPU_MODE=fibers needs <ucontext.h>, which this C compiler does not have"
#endif
#endif
#include <ucontext.h>
#include <sys/mman.h>

enum {
    HETAD_BARRIER, HETAD_COUNT, HETAD_AND, HETAD_OR, HETAD_WHOLE,               // of the block
    HETAD_SYNCWARP, HETAD_ACTIVE, HETAD_BALLOT, HETAD_ANY, HETAD_ALL,           // of the warp
    HETAD_IDX, HETAD_UP, HETAD_DOWN, HETAD_XOR,
    HETAD_IDX_ADJOINT, HETAD_UP_ADJOINT, HETAD_DOWN_ADJOINT, HETAD_XOR_ADJOINT,
    HETAD_ADD, HETAD_MIN, HETAD_MAX, HETAD_ADD_UNSIGNED, HETAD_MIN_UNSIGNED, HETAD_MAX_UNSIGNED,
};
enum { HETAD_RUNS, HETAD_WAITS, HETAD_DONE, HETAD_FAILED };

typedef void (*hetad_body)(const dim3, const dim3, const dim3, const dim3, char *, void **);

struct hetad_fiber {
    ucontext_t context;
    void *stack;
    dim3 index;
    int state, kind, argument, width, code;
    unsigned mask;
    const char *place;
    size_t bytes;
    unsigned char value[16], result[16];
};

static struct hetad_fiber hetad_fibers[1024], *hetad_fiber;
static ucontext_t hetad_scheduler;
static size_t hetad_fiber_count, hetad_stack_bytes;
static unsigned long long hetad_random_state;
static int hetad_shuffled;
static struct {
    hetad_body body;
    const char *kernel;
    dim3 grid, block, index;
    char *dynamic;
    void **args;
} hetad_block;

static unsigned hetad_random(unsigned below)
{
    hetad_random_state = hetad_random_state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)((hetad_random_state >> 33) % below);
}

static void hetad_fiber_leave(int code)
{
    *hetad_process->leave_flag() = 0;
    hetad_fiber->state = HETAD_FAILED;
    hetad_fiber->code = code;
    swapcontext(&hetad_fiber->context, &hetad_scheduler);
}

static void hetad_fiber_start(void)
{
    *hetad_process->leave_flag() = 1;
    hetad_block.body(
        hetad_block.grid, hetad_block.block, hetad_block.index, hetad_fiber->index, hetad_block.dynamic, hetad_block.args);
    *hetad_process->leave_flag() = 0;
    hetad_fiber->state = HETAD_DONE;
    swapcontext(&hetad_fiber->context, &hetad_scheduler);
}

// A failure whose message tells its own place, which is nearer than the launch's.
__attribute__((noreturn)) static void hetad_fail_here(const char *message)
{
    hetad_place = NULL;
    hetad_fail(message);
}

// Wait for the other threads of the block or warp; what the operation gives this thread.
static void *hetad_fiber_wait(
    int kind, const char *place, unsigned mask, const void *value, size_t bytes, int argument, int width)
{
    struct hetad_fiber *self = hetad_fiber;
    const size_t lane = (size_t)(self - hetad_fibers) % 32;
    if (kind >= HETAD_SYNCWARP && kind != HETAD_ACTIVE && !(mask >> lane & 1)) {
        static char text[512];
        snprintf(text, sizeof text, "%s in kernel %s: the mask 0x%08x does not name the calling lane %d", place,
                 hetad_block.kernel, mask, (int)lane);
        hetad_fail_here(text);
    }
    self->kind = kind;
    self->place = place;
    self->mask = mask;
    self->bytes = bytes;
    self->argument = argument;
    self->width = width;
    memset(self->value, 0, sizeof self->value);
    if (bytes > 0) {
        memcpy(self->value, value, bytes);
    }
    self->state = HETAD_WAITS;
    *hetad_process->leave_flag() = 0;
    swapcontext(&self->context, &hetad_scheduler);
    *hetad_process->leave_flag() = 1;
    return self->result;
}

static int hetad_fiber_int(const struct hetad_fiber *fiber)
{
    int value;
    memcpy(&value, fiber->value, sizeof value);
    return value;
}

static void hetad_fiber_answer(struct hetad_fiber *fiber, unsigned value)
{
    memcpy(fiber->result, &value, sizeof value);
}

static size_t hetad_fiber_source(size_t t)
{
    const struct hetad_fiber *fiber = &hetad_fibers[t];
    switch (fiber->kind) {
    case HETAD_UP: case HETAD_UP_ADJOINT:
        return hetad_lane_up(t, hetad_fiber_count, (unsigned)fiber->argument, fiber->width);
    case HETAD_DOWN: case HETAD_DOWN_ADJOINT:
        return hetad_lane_down(t, hetad_fiber_count, (unsigned)fiber->argument, fiber->width);
    case HETAD_XOR: case HETAD_XOR_ADJOINT:
        return hetad_lane_xor(t, hetad_fiber_count, fiber->argument, fiber->width);
    }
    return hetad_lane(t, hetad_fiber_count, fiber->argument, fiber->width);
}

static void hetad_fiber_accumulate(struct hetad_fiber *target, const struct hetad_fiber *from)
{
    if (from->bytes == sizeof(float)) {
        float sum, term;
        memcpy(&sum, target->result, sizeof sum);
        memcpy(&term, from->value, sizeof term);
        sum += term;
        memcpy(target->result, &sum, sizeof sum);
    } else {
        double sum, term;
        memcpy(&sum, target->result, sizeof sum);
        memcpy(&term, from->value, sizeof term);
        sum += term;
        memcpy(target->result, &sum, sizeof sum);
    }
}

static unsigned hetad_fiber_reduced(int kind, unsigned a, unsigned b)
{
    switch (kind) {
    case HETAD_MIN: return (int)a < (int)b ? a : b;
    case HETAD_MAX: return (int)a > (int)b ? a : b;
    case HETAD_MIN_UNSIGNED: return a < b ? a : b;
    case HETAD_MAX_UNSIGNED: return a > b ? a : b;
    }
    return a + b;
}

// What the lanes in `group`, which have all come to the same operation, give each other.
static void hetad_warp_operation(size_t first, unsigned group)
{
    unsigned ballot = 0, reduced = 0;
    int started = 0;
    for (size_t lane = 0; lane < 32; ++lane) {
        struct hetad_fiber *fiber = &hetad_fibers[first + lane];
        if (!(group >> lane & 1)) {
            continue;
        }
        const unsigned value = (unsigned)hetad_fiber_int(fiber);
        ballot |= (unsigned)(value != 0 || fiber->kind == HETAD_ACTIVE) << lane;
        reduced = started ? hetad_fiber_reduced(fiber->kind, reduced, value) : value;
        started = 1;
        memset(fiber->result, 0, sizeof fiber->result);
    }
    for (size_t lane = 0; lane < 32; ++lane) {
        struct hetad_fiber *fiber = &hetad_fibers[first + lane];
        if (!(group >> lane & 1)) {
            continue;
        }
        const size_t source = hetad_fiber_source(first + lane);
        const int there = (int)(group >> (source - first) & 1);
        switch (fiber->kind) {
        case HETAD_ACTIVE: case HETAD_BALLOT:
            hetad_fiber_answer(fiber, ballot);
            break;
        case HETAD_ANY:
            hetad_fiber_answer(fiber, ballot != 0);
            break;
        case HETAD_ALL:
            hetad_fiber_answer(fiber, ballot == group);
            break;
        case HETAD_IDX: case HETAD_UP: case HETAD_DOWN: case HETAD_XOR:
            memset(fiber->result, 0xff, sizeof fiber->result);  // not a number, if the source does not take part
            if (there) {
                memcpy(fiber->result, hetad_fibers[source].value, sizeof fiber->result);
            }
            break;
        case HETAD_IDX_ADJOINT: case HETAD_UP_ADJOINT: case HETAD_DOWN_ADJOINT: case HETAD_XOR_ADJOINT:
            hetad_fiber_accumulate(&hetad_fibers[source], fiber);
            break;
        case HETAD_SYNCWARP:
            break;
        default:
            hetad_fiber_answer(fiber, reduced);
        }
        fiber->state = HETAD_RUNS;
    }
}

static int hetad_meet(const struct hetad_fiber *a, const struct hetad_fiber *b)
{
    return a->kind == b->kind && a->mask == b->mask && (a->kind != HETAD_ACTIVE || strcmp(a->place, b->place) == 0);
}

// Let the lanes of a warp go on whose partners have all come; whether there were any.
static int hetad_resolve_warp(size_t first)
{
    const size_t lanes = hetad_fiber_count - first < 32 ? hetad_fiber_count - first : 32;
    int progress = 0;
    for (size_t lane = 0; lane < lanes; ++lane) {
        const struct hetad_fiber *one = &hetad_fibers[first + lane];
        if (one->state != HETAD_WAITS || one->kind < HETAD_SYNCWARP) {
            continue;
        }
        unsigned group = 0, alive = 0;
        for (size_t other = 0; other < lanes; ++other) {
            const struct hetad_fiber *fiber = &hetad_fibers[first + other];
            alive |= (unsigned)(fiber->state != HETAD_DONE) << other;
            group |= (unsigned)(fiber->state == HETAD_WAITS && hetad_meet(one, fiber)) << other;
        }
        if (one->kind == HETAD_ACTIVE || (one->mask & alive) == group) {
            if (one->kind == HETAD_SYNCWARP) { hetad_race_meet(first, group); }  // if used
            hetad_warp_operation(first, group);
            progress = 1;
        }
    }
    return progress;
}

// A barrier of the block, to which all threads that have not returned must have come.
static void hetad_resolve_block(void)
{
    const struct hetad_fiber *one = NULL, *other = NULL;
    int yes = 0, no = 0;
    for (size_t t = 0; t < hetad_fiber_count; ++t) {
        const struct hetad_fiber *fiber = &hetad_fibers[t];
        if (fiber->state != HETAD_DONE && (one == NULL || (one->kind >= HETAD_SYNCWARP && fiber->kind < HETAD_SYNCWARP))) {
            one = fiber;
        }
    }
    for (size_t t = 0; t < hetad_fiber_count; ++t) {
        const struct hetad_fiber *fiber = &hetad_fibers[t];
        if (fiber->state != HETAD_DONE) {
            *(hetad_fiber_int(fiber) != 0 ? &yes : &no) += 1;
            if (other == NULL && (fiber->kind != one->kind || strcmp(fiber->place, one->place) != 0)) {
                other = fiber;
            }
        }
    }
    static char text[512];
    if (one->kind >= HETAD_SYNCWARP) {
        snprintf(text, sizeof text, "%s in kernel %s: not all lanes that the mask 0x%08x names come here", one->place,
                 hetad_block.kernel, one->mask);
        hetad_fail_here(text);
    }
    if (other != NULL) {
        snprintf(text, sizeof text,
                 "%s in kernel %s: barrier in divergent code: thread (%u, %u, %u) waits here, thread (%u, %u, %u) at %s",
                 one->place, hetad_block.kernel, one->index.x, one->index.y, one->index.z, other->index.x, other->index.y,
                 other->index.z, other->place);
        hetad_fail_here(text);
    }
    for (size_t t = 0; t < hetad_fiber_count; ++t) {
        if (one->kind == HETAD_WHOLE && hetad_fibers[t].state == HETAD_DONE) {
            snprintf(text, sizeof text, "%s in kernel %s: threads have returned before", one->place, hetad_block.kernel);
            hetad_fail_here(text);
        }
    }
    hetad_race_barrier(hetad_fiber_count);  // if used
    const int answers[] = {0, yes, no == 0, yes != 0, 0}, kind = one->kind;
    for (size_t t = 0; t < hetad_fiber_count; ++t) {
        struct hetad_fiber *fiber = &hetad_fibers[t];
        if (fiber->state != HETAD_DONE) {
            hetad_fiber_answer(fiber, (unsigned)answers[kind]);
            fiber->state = HETAD_RUNS;
        }
    }
}

// Run every thread that can until it waits or returns; how many have not returned.
static size_t hetad_run_threads(int reverse)
{
    static unsigned order[1024];
    const size_t n = hetad_fiber_count;
    size_t left = 0;
    if (hetad_process->is_over()) {
        hetad_stop(HETAD_INTERRUPTED);
    }
    for (size_t i = 0; i < n; ++i) {
        order[i] = (unsigned)(reverse ? n - 1 - i : i);
    }
    for (size_t i = n; hetad_shuffled && i-- > 1;) {
        const unsigned j = hetad_random((unsigned)i + 1), t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
    for (size_t i = 0; i < n; ++i) {
        struct hetad_fiber *fiber = &hetad_fibers[order[i]];
        if (fiber->state == HETAD_RUNS) {
            hetad_fiber = fiber;
            hetad_leave = hetad_fiber_leave;
            hetad_race_thread(fiber - hetad_fibers, fiber->stack, hetad_stack_bytes);  // if used
            swapcontext(&hetad_scheduler, &fiber->context);
            hetad_leave = NULL;
            hetad_race_thread(-1, NULL, 0);  // if used
            if (fiber->state == HETAD_FAILED) {
                hetad_stop(fiber->code);
            }
        }
        left += fiber->state != HETAD_DONE;
    }
    return left;
}

static void hetad_prepare_fibers(size_t stack_bytes)
{
    for (size_t t = 0; t < 1024 && stack_bytes > hetad_stack_bytes; ++t) {
        if (hetad_fibers[t].stack != NULL) {
            munmap(hetad_fibers[t].stack, hetad_stack_bytes);
        }
        hetad_fibers[t].stack = NULL;
    }
    hetad_stack_bytes = stack_bytes > hetad_stack_bytes ? stack_bytes : hetad_stack_bytes;
    for (size_t t = 0; t < hetad_fiber_count; ++t) {
        struct hetad_fiber *fiber = &hetad_fibers[t];
        if (fiber->stack == NULL) {
            fiber->stack = mmap(NULL, hetad_stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (fiber->stack == MAP_FAILED) {
                fiber->stack = NULL;
                hetad_fail("out of memory for the stacks of threads");
            }
        }
        getcontext(&fiber->context);
        fiber->context.uc_stack.ss_sp = fiber->stack;
        fiber->context.uc_stack.ss_size = hetad_stack_bytes;
        fiber->context.uc_link = NULL;
        makecontext(&fiber->context, hetad_fiber_start, 0);
        fiber->state = HETAD_RUNS;
        fiber->index.x = (unsigned)(t % hetad_block.block.x);
        fiber->index.y = (unsigned)(t / hetad_block.block.x % hetad_block.block.y);
        fiber->index.z = (unsigned)(t / hetad_block.block.x / hetad_block.block.y);
    }
}

static void hetad_run_block(int reverse, size_t stack_bytes)
{
    hetad_prepare_fibers(stack_bytes);
    while (hetad_run_threads(reverse) > 0) {
        int progress = 0;
        for (size_t first = 0; first < hetad_fiber_count; first += 32) {
            progress |= hetad_resolve_warp(first);
        }
        if (!progress) {
            hetad_resolve_block();
        }
    }
}

// A launch: blocks one after another, in an order that $HETAD_CPU_SEED changes, as it does that of the threads.
static void hetad_run_fibers(
    hetad_body body, const char *kernel, dim3 grid, dim3 block, char *dynamic, size_t dynamic_bytes,
    void (*poison)(void), size_t stack_bytes, int reverse, void **args)
{
    volatile sig_atomic_t *const may_leave = hetad_process->leave_flag();
    const sig_atomic_t before = *may_leave;
    *may_leave = 0;
    const char *seed = getenv("HETAD_CPU_SEED");
    const size_t blocks = (size_t)grid.x * grid.y * grid.z;
    hetad_shuffled = seed != NULL && *seed != 0;
    hetad_random_state = hetad_shuffled ? strtoull(seed, NULL, 0) + 1 : 0;
    hetad_block.body = body;
    hetad_block.kernel = kernel;
    hetad_block.grid = grid;
    hetad_block.block = block;
    hetad_block.dynamic = dynamic;
    hetad_block.args = args;
    hetad_fiber_count = (size_t)block.x * block.y * block.z;
    hetad_race_launch(kernel, grid, block);  // if used
    const size_t start = hetad_shuffled ? hetad_random((unsigned)(blocks < 1u << 30 ? blocks : 1u << 30)) : 0;
    for (size_t i = 0; i < blocks; ++i) {
        const size_t b = reverse ? blocks - 1 - (i + start) % blocks : (i + start) % blocks;
        hetad_block.index.x = (unsigned)(b % grid.x);
        hetad_block.index.y = (unsigned)(b / grid.x % grid.y);
        hetad_block.index.z = (unsigned)(b / grid.x / grid.y);
        poison();
        memset(dynamic, 0xff, dynamic_bytes);
        hetad_race_private(dynamic, dynamic_bytes);  // if used
        hetad_race_block(b, hetad_fiber_count);  // if used
        hetad_run_block(reverse, stack_bytes);
    }
    hetad_process->settle(before);
}
