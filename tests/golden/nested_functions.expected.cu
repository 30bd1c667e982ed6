#include <cstdio>
#include <cstdlib>
#include <cstring>

static __device__ void hetad_block_add_double(double *target, double value);
static void *hetad_now(const void *p);
static void hetad_rename_part(const void *p, long long first, long long last, size_t size, int sure);
static int hetad_apart(const void *p, const void *q);
static void hetad_renamed(const void *p);
static inline void hetad_push(const void *value, size_t bytes);
static void hetad_copy_pullback_double(double *adj_dst, double *adj_src, size_t bytes, int kind);
static void hetad_added(const void *p);
static inline void hetad_pop(void *value, size_t bytes);
static void hetad_restore_part(void *p);
static unsigned hetad_blocks(unsigned blocks, unsigned rows);
static bool hetad_was_zero(const void *p);
static void hetad_launched(dim3 grid);
static void hetad_cleared(const void *p, long long first, long long last, size_t size, int sure);
static void hetad_read_scalar_double(double *adj, double *cell);
static void hetad_begin(void);
static void hetad_argument(const void *p, size_t bytes, int on_device);
static cudaError_t hetad_device_zeros(void **p, size_t bytes);
static void hetad_save_part(const void *p, long long first, long long last, size_t size);
static void hetad_forward_done(void);
static void hetad_release(void *p);
static void hetad_end(void);

static __global__ void smooth(double *v, const double *u, const double *f, double w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        v[i] = u[i] + w * (f[i] - u[i] * u[i]);
    }
}

static __global__ void scale(double *u, double a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        u[i] *= a;
    }
}

// pullback of smooth (line 12), with respect to v, u, f, w
static __global__ void smooth_pullback(
    const double *__restrict__ u, const double *__restrict__ f, double w, int n, double *__restrict__ adj_v,
    double *__restrict__ adj_u, double *__restrict__ adj_f, double *adj_w, unsigned int blocks,
    bool adj_u_zero, bool adj_f_zero)
{
    double w_sum = 0;
    for (unsigned int block = blockIdx.x; block < blocks; block += gridDim.x) {
        int i = block * blockDim.x + threadIdx.x;
        if (i < n) {
            // line 16: v[i] = u[i] + w * (f[i] - u[i] * u[i]);
            const double seed = adj_v[i];
            adj_v[i] = 0;
            const double adj_u_part = seed;
            w_sum += seed * (f[i] - u[i] * u[i]);
            const double seed_2 = seed * w;
            if (adj_f_zero) {
                adj_f[i] = seed_2;
            } else {
                atomicAdd(&adj_f[i], seed_2);
            }
            const double seed_3 = -seed_2;
            const double added = 2.0 * seed_3 * u[i] + adj_u_part;
            if (adj_u_zero) {
                adj_u[i] = added;
            } else {
                atomicAdd(&adj_u[i], added);
            }
        }
    }
    hetad_block_add_double(adj_w, w_sum);
}

// pullback of scale (line 19), with respect to u, a
static __global__ void scale_pullback(
    const double *__restrict__ u, double a, int n, double *__restrict__ adj_u, double *adj_a,
    unsigned int blocks)
{
    double a_sum = 0;
    for (unsigned int block = blockIdx.x; block < blocks; block += gridDim.x) {
        int i = block * blockDim.x + threadIdx.x;
        if (i < n) {
            // line 23: u[i] *= a;
            const double seed = adj_u[i];
            adj_u[i] = seed * a;
            a_sum += seed * u[i];
        }
    }
    hetad_block_add_double(adj_a, a_sum);
}

static __global__ void hetad_accumulate_double(double *sum, const double *term, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        sum[i] += term[i];
    }
}

// forward sweep of square_of_norm (line 26)
static double square_of_norm_forward(double *u, int n, double *host)
{
    double sum = 1.0;
    cudaMemcpy(host, (double *)hetad_now(u), n * sizeof(double), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i) {
        sum += host[i] * host[i];
    }
    return sum;
}

// forward sweep of relax (line 35)
static void relax_forward(double *u, double *v, const double *f, int n, int times)
{
    for (int k = 0; k < times; ++k) {
        double host[32];
        double sum = square_of_norm_forward(u, n, host);
        double w = 0.1 / sum;
        hetad_rename_part(
            v, 0, (long long)n - 1, 8,
            8ll * (unsigned int)((n + 7) / 8) >= (long long)n && hetad_apart(v, u) != 0
                && hetad_apart(v, f) != 0);
        smooth<<<(n + 7) / 8, 8>>>((double *)hetad_now(v), (double *)hetad_now(u), f, w, n);
        hetad_renamed(v);
        hetad_rename_part(
            u, 0, (long long)n - 1, 8,
            8ll * (unsigned int)((n + 7) / 8) >= (long long)n && hetad_apart(u, v) != 0
                && hetad_apart(u, f) != 0);
        smooth<<<(n + 7) / 8, 8>>>((double *)hetad_now(u), (double *)hetad_now(v), f, w, n);
        hetad_renamed(u);
        hetad_push(&sum, 8);
        hetad_push(host, 256);
        hetad_push(&w, 8);
    }
}

// pullback of square_of_norm (line 26)
static void square_of_norm_pullback(int n, double *host, double *adj_u, double adj_result)
{
    double adj_host[32] = {};
    for (int i = 0; i < n; ++i) {
        // line 31: sum += host[i] * host[i];
        adj_host[i] += 2.0 * adj_result * host[i];
    }
    // line 29: cudaMemcpy(host, u, n * sizeof(double), cudaMemcpyDeviceToHost);
    hetad_copy_pullback_double(adj_host, adj_u, n * sizeof(double), cudaMemcpyDeviceToHost);
    hetad_added(adj_u);
}

// pullback of relax (line 35)
static void relax_pullback(
    double *u, double *v, const double *f, int n, int times, double *adj_u, double *adj_v, double *adj_f,
    double *adj_scalars)
{
    for (int k = times - 1; k >= 0; --k) {
        double square_of_norm;
        double host[32];
        double w;
        hetad_pop(&w, 8);
        hetad_pop(host, 256);
        hetad_pop(&square_of_norm, 8);
        double adj_w = 0;
        // line 40: smooth<<<(n + 7) / 8, 8>>>(u, v, f, w, n);
        hetad_restore_part(u);
        smooth_pullback<<<hetad_blocks((n + 7) / 8, 1), 8>>>(
            (double *)hetad_now(v), f, w, n, adj_u, adj_v, adj_f, adj_scalars, (n + 7) / 8,
            hetad_was_zero(adj_v), hetad_was_zero(adj_f));
        hetad_launched(dim3((n + 7) / 8));
        hetad_cleared(
            adj_u, 0, (long long)n - 1, 8,
            8ll * (unsigned int)((n + 7) / 8) >= (long long)n && hetad_apart(adj_u, adj_v) != 0
                && hetad_apart(adj_u, adj_f) != 0);
        // line 39: smooth<<<(n + 7) / 8, 8>>>(v, u, f, w, n);
        hetad_restore_part(v);
        smooth_pullback<<<hetad_blocks((n + 7) / 8, 1), 8>>>(
            (double *)hetad_now(u), f, w, n, adj_v, adj_u, adj_f, adj_scalars, (n + 7) / 8,
            hetad_was_zero(adj_u), hetad_was_zero(adj_f));
        hetad_launched(dim3((n + 7) / 8));
        hetad_cleared(
            adj_v, 0, (long long)n - 1, 8,
            8ll * (unsigned int)((n + 7) / 8) >= (long long)n && hetad_apart(adj_v, adj_u) != 0
                && hetad_apart(adj_v, adj_f) != 0);
        // line 38: double w = 0.1 / square_of_norm(u, n);
        hetad_read_scalar_double(&adj_w, adj_scalars);
        hetad_added(&adj_w);
        const double adj_square_of_norm = -(adj_w == 0 ? 0 : adj_w * w / square_of_norm);
        square_of_norm_pullback(n, host, adj_u, adj_square_of_norm);
    }
}

// gradient of u of solve (line 44) with respect to u, f
extern "C" void solve_grad(
    double *u, double *v, const double *f, int n, double *adj_u, double *adj_f, size_t v_bytes,
    size_t u_bytes, size_t f_bytes)
{
    hetad_begin();
    hetad_argument(u, u_bytes, 1);
    hetad_argument(adj_u, u_bytes, 1);
    hetad_argument(v, v_bytes, 1);
    hetad_argument(f, f_bytes, 1);
    hetad_argument(adj_f, f_bytes, 1);
    double *adj_v;
    hetad_device_zeros((void **)&adj_v, v_bytes);
    double *adj_scalars;
    hetad_device_zeros((void **)&adj_scalars, 32);
    relax_forward(u, v, f, n, 1);
    double host_2[32];
    double sum_2 = square_of_norm_forward(u, n, host_2);
    for (int cycle = 0; cycle < 2; ++cycle) {
        relax_forward(u, v, f, n, 2);
    }
    double host_4[32];
    double sum_4 = square_of_norm_forward(u, n, host_4);
    const double argument_1 = sum_2 / sum_4;
    hetad_save_part(u, 0, (long long)n - 1, 8);
    scale<<<(n + 7) / 8, 8>>>((double *)hetad_now(u), argument_1, n);
    relax_forward(u, v, f, n, 1);
    hetad_forward_done();
    double adj_argument_1 = 0;
    // line 52: relax(u, v, f, n, 1);
    relax_pullback(u, v, f, n, 1, adj_u, adj_v, adj_f, adj_scalars + 3);
    // line 51: scale<<<(n + 7) / 8, 8>>>(u, before / after, n);
    hetad_restore_part(u);
    hetad_added(adj_u);
    scale_pullback<<<hetad_blocks((n + 7) / 8, 1), 8>>>(
        (double *)hetad_now(u), argument_1, n, adj_u, adj_scalars + 2, (n + 7) / 8);
    hetad_launched(dim3((n + 7) / 8));
    hetad_read_scalar_double(&adj_argument_1, adj_scalars + 2);
    hetad_added(&adj_argument_1);
    const double seed = adj_argument_1 == 0 ? 0 : adj_argument_1 / sum_4;
    const double adj_after = -(seed == 0 ? 0 : seed * argument_1);
    // line 50: double after = square_of_norm(u, n);
    square_of_norm_pullback(n, host_4, adj_u, adj_after);
    for (int cycle = 1; cycle >= 0; --cycle) {
        // line 49: relax(u, v, f, n, 2);
        relax_pullback(u, v, f, n, 2, adj_u, adj_v, adj_f, adj_scalars + 1);
    }
    // line 47: double before = square_of_norm(u, n);
    square_of_norm_pullback(n, host_2, adj_u, seed);
    // line 46: relax(u, v, f, n, 1);
    relax_pullback(u, v, f, n, 1, adj_u, adj_v, adj_f, adj_scalars);
    hetad_release(adj_scalars);
    hetad_end();
}

// ---- hetad's own functions that are called above, and what they need ----

// The sum of `value` over the first `lanes` lanes of a warp, in lane 0.
static __device__ double hetad_warp_sum_double(double value, unsigned lane, unsigned lanes)
{
    const unsigned mask = lanes < 32 ? (1u << lanes) - 1 : 0xffffffffu;
    for (unsigned offset = 16; offset > 0; offset /= 2) {
        const double other = __shfl_down_sync(mask, value, offset);
        if (lane + offset < lanes) {
            value += other;
        }
    }
    return value;
}

// The sum of `value` over the block, in its first thread; all threads come here.
static __device__ double hetad_block_total_double(double value)
{
    __shared__ double sums[32];
    const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const unsigned warp = thread / 32, lane = thread % 32, warps = (threads + 31) / 32;
    value = hetad_warp_sum_double(value, lane, min(32u, threads - 32 * warp));
    __syncthreads();  // an earlier call may still be reading `sums`
    if (lane == 0) {
        sums[warp] = value;
    }
    __syncthreads();
    if (thread < warps) {
        value = hetad_warp_sum_double(sums[thread], lane, warps);
    }
    return value;
}

// *target += the sum of `value` over the block: one atomicAdd, if any.
static __device__ void hetad_block_add_double(double *target, double value)
{
    value = hetad_block_total_double(value);
    if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0 && value != 0) {
        atomicAdd(target, value);
    }
}

// A failure that leaves no right answer ends the program.
static void hetad_fail(const char *message)
{
    fprintf(stderr, "hetad: %s\n", message);
    abort();
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
    int zero;  // see hetad_was_zero: whether all of it is known to be zero
    size_t buffer, older, fresh;  // see hetad_now: where the content is, and was; whether it was moved just now
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

static void hetad_allocated(void *p, size_t bytes, int on_device)
{
    hetad_register(p, bytes, on_device, 1);
}

// Whether p, which may be freed now, is device memory.
static int hetad_deallocated(const void *p)
{
    struct hetad_allocation *a = hetad_find(p);
    if (a == NULL || !a->owned || a->start != (const char *)p) {
        hetad_fail("the program frees memory that it did not allocate");
    }
    int on_device = a->on_device;
    hetad_forget((size_t)(a - hetad_allocations));
    return on_device;
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

// Memory of the derivative call.
static void *hetad_device_memory(size_t bytes)
{
    void *p = NULL;
    hetad_check(cudaMalloc(&p, bytes));
    if (p != NULL) hetad_allocated(p, bytes, 1);
    return p;
}

static cudaError_t hetad_device_zeros(void **p, size_t bytes)
{
    *p = hetad_device_memory(bytes);
    if (bytes > 0) {
        hetad_check(cudaMemset(*p, 0, bytes));
        hetad_find(*p)->zero = 1;  // see hetad_was_zero
    }
    return cudaSuccess;
}

static void hetad_release(void *p)
{
    if (p == NULL) {
        return;
    }
    int on_device = hetad_deallocated(p);
    if (on_device) {
        hetad_check(cudaFree(p));
    } else {
        free(p);
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

// Where the content of p's memory is now: there, or in a buffer that has taken its place for the time.
static void *hetad_at(const struct hetad_allocation *a, size_t buffer)
{
    return buffer > 0 ? hetad_buffers[buffer - 1].data : (void *)a->start;
}

static void *hetad_now(const void *p)
{
    const struct hetad_allocation *a = hetad_find(p);
    if (a == NULL || (const char *)p == hetad_end_of(a)) {  // other memory may start where this one ends
        return (void *)p;
    }
    return (char *)hetad_at(a, a->buffer) + ((const char *)p - a->start);
}

// What an allocation has beside the bytes from `start` on.
static void hetad_copy_rest(const struct hetad_allocation *a, void *to, const void *from, const char *start, size_t bytes)
{
    const size_t before = (size_t)(start - a->start), behind = a->bytes - before - bytes;
    if (before > 0) {
        hetad_check(cudaMemcpy(to, from, before, cudaMemcpyDeviceToDevice));
    }
    if (behind > 0) {
        hetad_check(cudaMemcpy((char *)to + before + bytes, (const char *)from + before + bytes, behind,
                               cudaMemcpyDeviceToDevice));
    }
}

// Undoes hetad_moves, for the bytes that were overwritten: the content is where it was.
static void hetad_move_back(const char *start, size_t bytes, size_t buffer)
{
    struct hetad_allocation *a = hetad_find(start);
    hetad_copy_rest(a, hetad_at(a, buffer), hetad_at(a, a->buffer), start, bytes);
    hetad_put_buffer(a->buffer - 1);
    a->buffer = buffer;
    a->fresh = 0;
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
    start = (char *)hetad_now(start);
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
    if (s->on_device == 4) { hetad_move_back(s->start, s->bytes, s->buffer); return; }
    start = (char *)hetad_now(start);
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

// The elements from `first` to `last`, counted from p; the whole allocation where they do not lie in it.
static void hetad_save_part(const void *p, long long first, long long last, size_t size)
{
    struct hetad_allocation *a = hetad_find(p);
    if (a == NULL || p == NULL) {
        hetad_save(p);
        return;
    }
    long long before = ((const char *)p - a->start) / (long long)size;
    long long behind = (hetad_end_of(a) - (const char *)p) / (long long)size;
    if (first > last || first < -before || last >= behind) {
        hetad_save(p);
        return;
    }
    hetad_save_bytes((char *)p + first * (long long)size, (size_t)(last - first + 1) * size, a->on_device);
}

static void hetad_restore_part(void *p)
{
    struct hetad_snapshot s;
    hetad_pop(&s, sizeof s);
    struct hetad_allocation *a = hetad_find(p);
    if (s.bytes > 0 && (a == NULL || s.start < a->start || s.start + s.bytes > hetad_end_of(a))) {
        hetad_fail("internal error: a snapshot of another allocation");
    }
    hetad_restore_bytes(&s, s.start);
}

// Of an allocation that may get other memory in place of a snapshot of bytes that will be overwritten.  Not where much
// of it lies beside these bytes, where the budget counts on less, or after an error.
static struct hetad_allocation *hetad_movable(const char *start, size_t bytes, size_t most_of_rest)
{
    struct hetad_allocation *a = hetad_find(start);
    if (a == NULL || a->on_device != 1 || bytes == 0 || start < a->start || start + bytes > hetad_end_of(a)) {
        return NULL;
    }
    const size_t rest = a->bytes - bytes;
    a->fresh = 0;
    return rest > a->bytes / most_of_rest || cudaPeekAtLastError() != cudaSuccess ? NULL : a;
}

// Its content is in the buffer `taken` from now on, and what it had stays as it is.
static void hetad_move(struct hetad_allocation *a, size_t taken, char *start, size_t bytes)
{
    struct hetad_snapshot s = {start, bytes, a->buffer, 4};
    hetad_push(&s, sizeof s);
    a->older = a->buffer;
    a->buffer = taken;
    a->fresh = 1;
}

static int hetad_moves(const char *start, size_t bytes, int whole)
{
    struct hetad_allocation *a = hetad_movable(start, bytes, 32);
    if (a == NULL) {
        return 0;
    }
    const size_t taken = hetad_take_buffer(a->bytes) + 1;
    hetad_copy_rest(a, hetad_at(a, taken), hetad_at(a, a->buffer), start, bytes);
    hetad_move(a, taken, whole ? a->start : (char *)start, whole ? a->bytes : bytes);
    return 1;
}

// As hetad_save_part and hetad_save: what comes next overwrites the elements from `first` to `last`, if that is `sure`.
static void hetad_rename_part(const void *p, long long first, long long last, size_t size, int sure)
{
    const char *start = (const char *)p + first * (long long)size;
    if (!sure || first > last || !hetad_moves(start, (size_t)(last - first + 1) * size, 0)) {
        hetad_save_part(p, first, last, size);
    }
}

// What should have overwritten p's memory may have been refused: then it has the old content.
static void hetad_renamed(const void *p)
{
    struct hetad_allocation *a = hetad_find(p);
    if (a == NULL || !a->fresh) {
        return;
    }
    a->fresh = 0;
    if (cudaPeekAtLastError() != cudaSuccess) {
        cudaMemcpy(hetad_at(a, a->buffer), hetad_at(a, a->older), a->bytes, cudaMemcpyDeviceToDevice);
    }
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

// So many blocks in each of some rows keep a GPU busy; each of them works for several, and adds one sum for all of these.
static unsigned hetad_blocks(unsigned blocks, unsigned rows)
{
    const unsigned most = rows == 0 || rows > 2112 ? 1 : 2112 / rows;
    return blocks < most ? blocks : most;
}

// Whether two pointers certainly lead to different buffers.
static int hetad_apart(const void *p, const void *q)
{
    struct hetad_allocation *a = hetad_find(p);
    const char *start = a != NULL ? a->start : NULL;
    struct hetad_allocation *b = hetad_find(q);
    return start != NULL && b != NULL && b->start != start;
}

// Whether an allocation is known to be zero in every cell.
static struct hetad_allocation *hetad_zeros(const void *p)
{
    struct hetad_allocation *a = hetad_find(p);
    return a != NULL && (const char *)p != hetad_end_of(a) ? a : NULL;
}

static void hetad_added_anywhere(void)
{
    for (size_t i = 0; i < hetad_allocation_count; ++i) {
        hetad_allocations[i].zero = 0;
    }
}

static void hetad_added(const void *p)
{
    struct hetad_allocation *a = hetad_zeros(p);
    if (a != NULL) {
        a->zero = 0;
    } else {
        hetad_added_anywhere();
    }
}

// In front of what adds to it: then it is not zero any more.
static bool hetad_was_zero(const void *p)
{
    struct hetad_allocation *a = hetad_zeros(p);
    const int zero = a != NULL && a->zero;
    hetad_added(p);
    return zero;
}

// The elements from `first` to `last`, counted from p, are zero now if that is `sure`.
static void hetad_cleared(const void *p, long long first, long long last, size_t size, int sure)
{
    struct hetad_allocation *a = sure ? hetad_zeros(p) : NULL;
    if (a != NULL) {
        const char *start = (const char *)p + first * (long long)size, *end = (const char *)p + (last + 1) * (long long)size;
        a->zero = a->on_device == 1 && start == a->start && end == hetad_end_of(a);
    }
}

// The adjoint of a scalar that kernels accumulated in a cell of device memory.
static void hetad_read_scalar_double(double *adj, double *cell)
{
    double sum = 0;
    hetad_check(cudaMemcpy(&sum, cell, sizeof sum, cudaMemcpyDeviceToHost));
    hetad_check(cudaMemset(cell, 0, sizeof sum));
    *adj += sum;
}

// Which sides of a copy are device memory: bit 0 the destination, bit 1 the source.
static int hetad_copy_sides(int kind)
{
    switch (kind) {
    case cudaMemcpyHostToDevice:
        return 1;
    case cudaMemcpyDeviceToHost:
        return 2;
    case cudaMemcpyDeviceToDevice:
        return 3;
    }
    return 0;
}

// The adjoint of cudaMemcpy(dst, src, bytes, kind): adj_src += adj_dst; adj_dst = 0.
static void hetad_copy_pullback_double(double *adj_dst, double *adj_src, size_t bytes, int kind)
{
    size_t n = bytes / sizeof(double);
    int sides = hetad_copy_sides(kind), to_device = sides & 1, from_device = sides & 2;
    if (adj_dst == NULL || bytes == 0) {
        return;
    }
    if (n * sizeof(double) != bytes) {
        hetad_fail("a copy of part of a number has no derivative");
    }
    if (adj_src != NULL && adj_dst < adj_src + n && adj_src < adj_dst + n) {
        hetad_fail("a copy whose source and destination overlap has no derivative");
    }
    double *term = adj_dst;
    if (adj_src != NULL && to_device && !from_device) {
        term = (double *)malloc(bytes);
        if (term == NULL) {
            hetad_fail("out of host memory");
        }
        hetad_check(cudaMemcpy(term, adj_dst, bytes, cudaMemcpyDeviceToHost));
    } else if (adj_src != NULL && from_device && !to_device) {
        hetad_check(cudaMalloc((void **)&term, bytes));
        hetad_check(cudaMemcpy(term, adj_dst, bytes, cudaMemcpyHostToDevice));
    }
    if (adj_src != NULL && from_device) {
        hetad_accumulate_double<<<(unsigned)((n + 255) / 256), 256>>>(adj_src, term, n);
        hetad_check(cudaGetLastError());
    } else if (adj_src != NULL) {
        for (size_t i = 0; i < n; ++i) {
            adj_src[i] += term[i];
        }
    }
    if (to_device) {
        hetad_check(cudaMemset(adj_dst, 0, bytes));
    } else {
        memset(adj_dst, 0, bytes);
    }
    if (term != adj_dst && from_device) {
        hetad_check(cudaFree(term));
    } else if (term != adj_dst) {
        free(term);
    }
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
