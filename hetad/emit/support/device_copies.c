// Buffers for snapshots of device memory: one whose snapshot was restored serves the next of its size.
struct hetad_buffer {
    void *data;
    size_t bytes;
};

static struct hetad_buffer *hetad_buffers;  // every buffer there is
static size_t *hetad_idle;                  // a stack of those that hold no snapshot
static size_t hetad_buffer_count, hetad_buffer_room, hetad_idle_count;

static void *hetad_larger(void *array, size_t bytes)
{
    void *moved = realloc(array, bytes);
    if (moved == NULL) {
        hetad_fail("out of host memory");
    }
    return moved;
}

static size_t hetad_take_buffer(size_t bytes)
{
    for (size_t i = hetad_idle_count; i-- > 0;) {
        size_t buffer = hetad_idle[i];
        if (hetad_buffers[buffer].bytes == bytes) {
            hetad_idle[i] = hetad_idle[--hetad_idle_count];
            return buffer;
        }
    }
    if (hetad_buffer_count == hetad_buffer_room) {
        size_t room = 2 * hetad_buffer_room + 16;
        hetad_buffers = (struct hetad_buffer *)hetad_larger(hetad_buffers, room * sizeof *hetad_buffers);
        hetad_idle = (size_t *)hetad_larger(hetad_idle, room * sizeof *hetad_idle);
        hetad_buffer_room = room;
    }
    void *data = NULL;
    hetad_check(cudaMalloc((void **)&data, bytes));
    hetad_buffers[hetad_buffer_count].data = data;
    hetad_buffers[hetad_buffer_count].bytes = bytes;
    return hetad_buffer_count++;
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
    hetad_idle_count = 0;
}
