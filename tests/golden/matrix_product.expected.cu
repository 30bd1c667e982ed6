// link with -lcublas

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cublas_v2.h>

static void hetad_begin(void);
static void hetad_argument(const void *p, size_t bytes, int on_device);
static void hetad_save(const void *p);
static int hetad_cublas(cublasHandle_t *handle);
static void hetad_routine(int status);
static void hetad_forward_done(void);
static void hetad_launched(dim3 grid);
static void hetad_restore(void *p);
static void hetad_end(void);

// pullback of square (line 14), with respect to c
static __global__ void square_pullback(const float *__restrict__ c, int count, float *__restrict__ adj_c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        // line 18: c[i] *= c[i];
        const float seed = adj_c[i];
        adj_c[i] = 2.0f * seed * c[i];
    }
}

static __global__ void blas_float_scale(
    int rows, int columns, float alpha, float *a, int lda, long long next, int count)
{
    long long cell = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    long long size = (long long)rows * columns;
    if (cell < size * count) {
        long long at = cell / size * next + cell % size % rows + cell % size / rows * lda;
        float chosen_1;
        if (alpha == 0.0f) {
            chosen_1 = 0.0f;
        } else {
            chosen_1 = alpha * a[at];
        }
        a[at] = chosen_1;
    }
}

// gradient of c of product (line 28) with respect to a, b
extern "C" void product_grad(
    float *c, const float *a, const float *b, int n, float *adj_c, float *adj_a, float *adj_b, size_t c_bytes)
{
    hetad_begin();
    hetad_argument(c, c_bytes, 1);
    hetad_argument(adj_c, c_bytes, 1);
    hetad_save(c);
    cublasHandle_t handle;
    hetad_cublas(&handle);
    const float one = 1.0f;
    const float zero = 0.0f;
    if (n >= 0 && n >= 1) {
        if (n > 0) {
            hetad_routine(cublasSgemm(
                handle, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &one, a, n, b, n, &zero, c, n));
        }
    }
    hetad_forward_done();
    // line 25: square<<<(n * n + 127) / 128, 128>>>(c, n * n);
    square_pullback<<<(n * n + 127) / 128, 128>>>(c, n * n, adj_c);
    hetad_launched(dim3((n * n + 127) / 128));
    if (n >= 0 && n >= 1) {
        if (n > 0) {
            // cublasSgemm
            if (n > 0) {
                {
                    const float hetad_factor_1 = 1.0f;
                    hetad_routine(cublasSgemm(
                        handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, adj_c, n, b, n, &hetad_factor_1,
                        adj_a, n));
                }
                {
                    const float hetad_factor_1 = 1.0f;
                    hetad_routine(cublasSgemm(
                        handle, CUBLAS_OP_T, CUBLAS_OP_N, n, n, n, &one, adj_c, n, a, n, &hetad_factor_1,
                        adj_b, n));
                }
            }
            if (zero != 1.0f) {
                blas_float_scale<<<((long long)n * n + 255) / 256, 256>>>(n, n, zero, adj_c, n, 0, 1);
                hetad_launched(dim3(((long long)n * n + 255) / 256));
            }
        }
    }
    // line 31: cublasCreate(&handle);
    hetad_restore(c);
    hetad_end();
}

// ---- hetad's own functions that are called above, and what they need ----

// A failure that leaves no right answer ends the program.
static void hetad_fail(const char *message)
{
    fprintf(stderr, "hetad: %s\n", message);
    abort();
}

// Every call of a library must succeed.
static void hetad_routine(int status)
{
    if (status != 0) {
        char message[64];
        snprintf(message, sizeof message, "a routine of cuBLAS or cuFFT fails with status %d", status);
        hetad_fail(message);
    }
}

// The handle of the derivative, which does all work in the default stream.
static int hetad_cublas(cublasHandle_t *handle)
{
    static cublasHandle_t own;
    if (own == NULL) {
        hetad_routine(cublasCreate(&own));
    }
    *handle = own;
    return 0;
}

// Every CUDA call of the derivative's own must succeed.
static void hetad_check(cudaError_t error)
{
    if (error != cudaSuccess) {
        hetad_fail(cudaGetErrorString(error));
    }
}

// The known buffers, sorted by address.
struct hetad_allocation {
    char *start;
    size_t bytes;  // see hetad_find
    int on_device;
    int owned;  // by the derivative, which frees it: see hetad_register
};

static struct hetad_allocation *hetad_allocations;
static size_t hetad_allocation_count, hetad_allocation_room;

static void hetad_make_room(void)
{
    if (hetad_allocation_count == hetad_allocation_room) {
        size_t room = 2 * hetad_allocation_room + 16;
        void *moved = realloc(hetad_allocations, room * sizeof *hetad_allocations);
        if (moved == NULL) {
            hetad_fail("out of host memory");
        }
        hetad_allocations = (struct hetad_allocation *)moved;
        hetad_allocation_room = room;
    }
}

static size_t hetad_last_found;

static inline char *hetad_end_of(const struct hetad_allocation *a)
{
    return a->start + a->bytes;
}

// The number of allocations that start at or before p.
static size_t hetad_rank(const char *p)
{
    size_t low = 0, high = hetad_allocation_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (hetad_allocations[middle].start <= p) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// The allocation that a pointer points into, or just past the end of; NULL if it is not known.
static struct hetad_allocation *hetad_find(const void *pointer)
{
    const char *p = (const char *)pointer;
    if (p == NULL || hetad_allocation_count == 0) {
        return NULL;
    }
    if (hetad_last_found < hetad_allocation_count) {
        struct hetad_allocation *last = &hetad_allocations[hetad_last_found];
        if (p >= last->start && p < hetad_end_of(last)) {
            return last;
        }
    }
    size_t rank = hetad_rank(p);
    if (rank == 0 || p > hetad_end_of(&hetad_allocations[rank - 1])) {
        return NULL;
    }
    hetad_last_found = rank - 1;
    return &hetad_allocations[rank - 1];
}

static void hetad_forget(size_t position)
{
    memmove(hetad_allocations + position, hetad_allocations + position + 1,
            (--hetad_allocation_count - position) * sizeof *hetad_allocations);
}

// Arguments that overlap become one allocation; what the program allocates replaces what was there before.
static void hetad_register(void *p, size_t bytes, int on_device, int owned)
{
    struct hetad_allocation fresh = {(char *)p, bytes, on_device, owned};
    size_t position = hetad_rank(fresh.start);
    if (position > 0) {
        struct hetad_allocation *before = &hetad_allocations[position - 1];
        position -= before->start == fresh.start || hetad_end_of(before) > fresh.start;
    }
    while (position < hetad_allocation_count) {
        struct hetad_allocation old = hetad_allocations[position];
        if (old.start >= hetad_end_of(&fresh) && old.start != fresh.start) {
            break;
        }
        if (!owned) {
            char *end = hetad_end_of(&old) > hetad_end_of(&fresh) ? hetad_end_of(&old) : hetad_end_of(&fresh);
            fresh.start = old.start < fresh.start ? old.start : fresh.start;
            fresh.bytes = (size_t)(end - fresh.start);
            fresh.owned |= old.owned;
        }
        hetad_forget(position);
    }
    hetad_make_room();
    memmove(hetad_allocations + position + 1, hetad_allocations + position,
            (hetad_allocation_count++ - position) * sizeof *hetad_allocations);
    hetad_allocations[position] = fresh;
}

static void hetad_free_allocated(void)
{
    for (size_t i = 0; i < hetad_allocation_count; ++i) {
        if (hetad_allocations[i].owned && hetad_allocations[i].on_device) {
            cudaFree(hetad_allocations[i].start);
        } else if (hetad_allocations[i].owned) {
            free(hetad_allocations[i].start);
        }
    }
    hetad_allocation_count = 0;
}

// A buffer that the caller owns, and how many bytes of it there are.
static void hetad_argument(const void *p, size_t bytes, int on_device)
{
    if (p != NULL) {
        hetad_register((void *)p, bytes, on_device, 0);
    }
}

// The tape: values in the order they were saved, read back last to first.  Its memory serves later calls too.
static char *hetad_tape;
static size_t hetad_tape_used, hetad_tape_room;

static void hetad_tape_grow(size_t bytes)
{
    size_t room = 2 * (hetad_tape_used + bytes) + 4096;
    void *moved = realloc(hetad_tape, room);
    if (moved == NULL) {
        hetad_fail("out of host memory for the tape");
    }
    hetad_tape = (char *)moved;
    hetad_tape_room = room;
}

static inline void hetad_push(const void *value, size_t bytes)
{
    if (bytes > hetad_tape_room - hetad_tape_used) {
        hetad_tape_grow(bytes);
    }
    memcpy(hetad_tape + hetad_tape_used, value, bytes);
    hetad_tape_used += bytes;
}

static inline void hetad_pop(void *value, size_t bytes)
{
    if (bytes > hetad_tape_used) {
        hetad_fail("internal error: the tape is empty");
    }
    hetad_tape_used -= bytes;
    memcpy(value, hetad_tape + hetad_tape_used, bytes);
}

// An ordinary tape is worth keeping, a huge one is not.
static void hetad_tape_reset(void)
{
    hetad_tape_used = 0;
    if (hetad_tape_room > (size_t)64 << 20) {
        free(hetad_tape);
        hetad_tape = NULL;
        hetad_tape_room = 0;
    }
}

// Buffers for snapshots of device memory: one whose snapshot was restored serves the next of its size.
struct hetad_buffer {
    void *data;
    size_t bytes;
};

static struct hetad_buffer *hetad_buffers;  // every buffer there is
static size_t *hetad_idle;                  // a stack of those that hold no snapshot
static size_t hetad_buffer_count, hetad_buffer_room, hetad_idle_count;
static size_t hetad_buffer_bytes;           // of all of them

static void *hetad_larger(void *array, size_t bytes)
{
    void *moved = realloc(array, bytes);
    if (moved == NULL) {
        hetad_fail("out of host memory");
    }
    return moved;
}

// The memory of buffers that hold no snapshot goes back until all have no more than `most` bytes.
static void hetad_free_idle(size_t most)
{
    for (size_t i = hetad_idle_count; i-- > 0 && hetad_buffer_bytes > most;) {
        struct hetad_buffer *idle = &hetad_buffers[hetad_idle[i]];
        cudaFree(idle->data);
        hetad_buffer_bytes -= idle->bytes;
        idle->data = NULL;
        idle->bytes = 0;
    }
}

static void *hetad_new_buffer(size_t bytes)
{
    void *data = NULL;
    if (cudaMalloc((void **)&data, bytes) != cudaSuccess) {
        hetad_free_idle(0);
        cudaGetLastError();
        if (cudaMalloc((void **)&data, bytes) != cudaSuccess) {
            data = NULL;
        }
    }
    if (data == NULL) {
        size_t available = 0, total = 0, saved = 0;
        for (size_t i = 0; i < hetad_buffer_count; ++i) {
            saved += hetad_buffers[i].bytes;
        }
        cudaMemGetInfo(&available, &total);
        char text[400];
        snprintf(text, sizeof text,
                 "out of device memory: %zu bytes are saved for the reverse sweep, the next snapshot needs %zu more, "
                 "and %zu of %zu are free; with a memory limit time loops are recomputed instead",
                 saved, bytes, available, total);
        hetad_fail(text);
    }
    hetad_buffer_bytes += bytes;
    return data;
}

// An idle buffer of this size; 0: one without memory.  `hetad_buffer_count` if there is none.
static size_t hetad_take_idle(size_t bytes)
{
    for (size_t i = hetad_idle_count; i-- > 0;) {
        size_t buffer = hetad_idle[i];
        if (hetad_buffers[buffer].bytes == bytes) {
            hetad_idle[i] = hetad_idle[--hetad_idle_count];
            return buffer;
        }
    }
    return hetad_buffer_count;
}

static size_t hetad_take_buffer(size_t bytes)
{
    size_t buffer = hetad_take_idle(bytes);
    if (buffer < hetad_buffer_count) {
        return buffer;
    }
    void *data = hetad_new_buffer(bytes);
    buffer = hetad_take_idle(0);
    if (hetad_buffer_count == hetad_buffer_room) {
        size_t room = 2 * hetad_buffer_room + 16;
        hetad_buffers = (struct hetad_buffer *)hetad_larger(hetad_buffers, room * sizeof *hetad_buffers);
        hetad_idle = (size_t *)hetad_larger(hetad_idle, room * sizeof *hetad_idle);
        hetad_buffer_room = room;
    }
    hetad_buffers[buffer].data = data;
    hetad_buffers[buffer].bytes = bytes;
    hetad_buffer_count += buffer == hetad_buffer_count;
    return buffer;
}

static void hetad_put_buffer(size_t buffer)
{
    hetad_idle[hetad_idle_count++] = buffer;
}

static void hetad_free_buffers(void)
{
    while (hetad_buffer_count > 0) {
        cudaFree(hetad_buffers[--hetad_buffer_count].data);
    }
    hetad_idle_count = hetad_buffer_bytes = 0;
}

// Snapshots: a copy of memory and a record of it on the tape.  Host memory is copied onto the tape itself.
struct hetad_snapshot {
    char *start;
    size_t bytes;
    size_t buffer;
    int on_device;  // of the allocation; 2: on the tape; 4: in place, and the content has moved from `buffer`;
                    // 5: given up
};

static void hetad_save_bytes(char *start, size_t bytes, int on_device)
{
    struct hetad_snapshot s = {start, bytes, 0, on_device};
    if (bytes > 0 && on_device) {
        s.buffer = hetad_take_buffer(bytes);
        hetad_check(cudaMemcpy(hetad_buffers[s.buffer].data, start, bytes, cudaMemcpyDeviceToDevice));
    } else if (bytes > 0) {
        hetad_push(start, bytes);
    }
    hetad_push(&s, sizeof s);
}

static void hetad_restore_bytes(const struct hetad_snapshot *s, char *start)
{
    if (s->bytes > 0 && s->on_device) {
        hetad_check(cudaMemcpy(start, hetad_buffers[s->buffer].data, s->bytes, cudaMemcpyDeviceToDevice));
        hetad_put_buffer(s->buffer);
    } else if (s->bytes > 0) {
        hetad_pop(start, s->bytes);
    }
}

// The whole allocation that p points into.
static void hetad_save(const void *p)
{
    struct hetad_allocation *a = hetad_find(p);
    if (a != NULL) {
        hetad_save_bytes(a->start, a->bytes, a->on_device);
    } else if (p == NULL) {
        hetad_save_bytes(NULL, 0, 0);
    } else {
        hetad_fail("a pointer into unknown memory: its extent, and so what to save, is not known");
    }
}

static void hetad_restore(void *p)
{
    struct hetad_snapshot s;
    hetad_pop(&s, sizeof s);
    struct hetad_allocation *a = hetad_find(p);
    if (s.start != NULL && (a == NULL || a->start != s.start || a->bytes != s.bytes)) {
        hetad_fail("internal error: a snapshot of another allocation");
    }
    hetad_restore_bytes(&s, s.start);
}

// The launch before must have worked; one without blocks does nothing and may be refused.
static void hetad_launched(dim3 grid)
{
    cudaError_t error = cudaGetLastError();
    if (grid.x > 0 && grid.y > 0 && grid.z > 0) {
        hetad_check(error);
    }
}

// The program's own launches may have been refused without anybody asking: they did nothing, here as in the primal.
static void hetad_primal_launched(void)
{
    cudaError_t error = cudaGetLastError();
    if (error != cudaErrorInvalidConfiguration) {
        hetad_check(error);
    }
}

static void hetad_forward_done(void)
{
    hetad_primal_launched();
}

// Begin and end of a derivative call: what it still has is freed.
static void hetad_end(void)
{
    hetad_free_allocated();
    hetad_free_buffers();
    hetad_tape_reset();
}

static void hetad_begin(void)
{
    hetad_end();
}
