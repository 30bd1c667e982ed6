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
    hetad_free_idle(hetad_most_beside(bytes));  // if used
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
    hetad_check(cudaMemset(data, 0, bytes));  // initcheck misses copies from a hetad_symbol_address  // if used
    return data;
}

// An idle buffer of this size; 0: one without memory.  `hetad_buffer_count` if there is none.
static size_t hetad_take_idle(size_t bytes)
{
    for (size_t i = hetad_idle_count; i-- > 0;) {
        size_t buffer = hetad_idle[i];
        if (bytes > 0 && hetad_buffers[buffer].bytes == bytes && !hetad_is_here(hetad_buffers[buffer].data)) continue;  // if used
        if (hetad_buffers[buffer].bytes == bytes) {
            hetad_idle[i] = hetad_idle[--hetad_idle_count];
            return buffer;
        }
    }
    return hetad_buffer_count;
}

static size_t hetad_take_buffer(size_t bytes)
{
    hetad_hold(bytes);  // if used
    hetad_note(bytes);  // if used
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
    hetad_let_go(hetad_buffers[buffer].bytes);  // if used
    if (hetad_budget.keeps) return;  // if used
    hetad_idle[hetad_idle_count++] = buffer;
}

static void hetad_free_buffers(void)
{
    while (hetad_buffer_count > 0) {
        cudaFree(hetad_buffers[--hetad_buffer_count].data);
    }
    hetad_idle_count = hetad_buffer_bytes = 0;
}
