/* Programs that run as CUDA graphs: a second runtime table, whose launches, fills and copies on the device are compared
 * with those of the call before.
 *
 * What a call does on the device is a row of operations, cut into pieces where the host exchanges data with the device.
 * At first the operations of a piece are done as they come, and written down.  A later call that begins a piece again
 * only compares; once all operations of the piece have come again, every byte of their arguments the same, they run as
 * one graph.  Where something differs, those before it and itself are done as they come, and are written down anew.  So
 * a graph never runs with an argument or on memory that is not the call's own.
 *
 * For the addresses to come again, device memory is the recorder's: blocks that a call frees or leaves serve later
 * ones, the first that is large enough, so that the same requests get the same blocks.
 */
#include "cuda_pieces.h"

/* --- the table -------------------------------------------------------------------------------------------------- */

static void *recorded_malloc(size_t bytes)
{
    struct recorder *r = now.recorder;
    struct block *b;
    void *moved;
    bytes = bytes == 0 ? 1 : bytes;
    for (b = r->blocks; b < r->blocks + r->block_count; b++)
        if (!b->used && b->bytes >= bytes) {
            b->used = 1;
            return (void *)(size_t)b->start;
        }
    moved = with_room(r->blocks, &r->block_room, r->block_count + 1, sizeof *r->blocks);
    if (moved == NULL)
        return NULL;
    r->blocks = moved;
    b = &r->blocks[r->block_count];
    b->start = (device_ptr)(size_t)take(bytes, NULL);
    b->bytes = bytes;
    b->used = 1;
    r->block_count += b->start != 0;
    return (void *)(size_t)b->start;
}

static int recorded_free(void *p)
{
    struct recorder *r = now.recorder;
    status code;
    for (size_t i = 0; i < r->block_count; i++)
        if (r->blocks[i].start == (device_ptr)(size_t)p) {
            r->blocks[i].used = 0;
            return 0;
        }
    code = flush(r); /* managed memory */
    return code == 0 ? device_free(p) : code;
}

static int recorded_copy(void *dst, const void *src, size_t bytes, int kind)
{
    struct operation o = operation(COPY);
    if (kind != 3) {
        status code = flush(now.recorder);
        return code == 0 ? copy(dst, src, bytes, kind) : code;
    }
    o.to = (device_ptr)(size_t)dst;
    o.from = (device_ptr)(size_t)src;
    o.bytes = bytes;
    return bytes == 0 ? 0 : record(&o, NULL);
}

static int recorded_set(void *dst, int value, size_t bytes)
{
    struct operation o = operation(SET);
    o.to = (device_ptr)(size_t)dst;
    o.which = (unsigned char)value;
    o.bytes = bytes;
    return bytes == 0 ? 0 : record(&o, NULL);
}

static int recorded_copy_rows(void *dst, size_t to_pitch, const void *src, size_t from_pitch, size_t width,
                              size_t height, int kind)
{
    struct operation o = operation(COPY_ROWS);
    if (kind != 3) {
        status code = flush(now.recorder);
        return code == 0 ? copy_rows(dst, to_pitch, src, from_pitch, width, height, kind) : code;
    }
    o.to = (device_ptr)(size_t)dst;
    o.from = (device_ptr)(size_t)src;
    o.to_pitch = to_pitch;
    o.from_pitch = from_pitch;
    o.bytes = width;
    o.height = height;
    return record(&o, NULL);
}

static int recorded_set_rows(void *dst, size_t pitch, int value, size_t width, size_t height)
{
    struct operation o = operation(SET_ROWS);
    o.to = (device_ptr)(size_t)dst;
    o.to_pitch = pitch;
    o.which = (unsigned char)value;
    o.bytes = width;
    o.height = height;
    return record(&o, NULL);
}

static int recorded_launch(int kernel, const unsigned grid[3], const unsigned block[3], size_t shared, void *stream,
                           void **args)
{
    struct operation o = operation(LAUNCH);
    status code;
    if (stream != NULL && stream != now.stream) { /* ordered after ours, on which all before must have been started */
        code = flush(now.recorder);
        return code == 0 ? launch(kernel, grid, block, shared, stream, args) : code;
    }
    code = check_launch(kernel, grid, block, shared);
    o.which = kernel;
    memcpy(o.grid, grid, sizeof o.grid);
    memcpy(o.block, block, sizeof o.block);
    o.shared = shared;
    return code == 0 ? record(&o, args) : code;
}

/* The host need not wait for a device on which it sees nothing happen. */
static int recorded_synchronize(void)
{
    status code;
    if (!now.recorder->waits)
        return 0;
    code = flush(now.recorder);
    return code == 0 ? synchronize() : code;
}

static const struct hetad_runtime recording_table = {
    recorded_malloc, recorded_free, recorded_copy,      recorded_set,      recorded_launch, recorded_synchronize,
    last_error,      memory_info,   recorded_copy_rows, recorded_set_rows, attribute,       managed_malloc,
    set_device,      device,        device_of,          peer,              on_stream,       ordinal_of};

static void finish_recording(void)
{
    struct recorder *r = now.recorder;
    flush(r);
    drop_pieces(r->sweep, r->piece);
    for (size_t i = 0; i < r->block_count; i++)
        r->blocks[i].used = 0;
    now.recorder = NULL;
}

/* --- what Python calls ------------------------------------------------------------------------------------------ */

/* A recorder for one program on one device, for kernels of at most `parameters` parameters.  The `count` arguments in
 * `cells`, of these sizes, tell its calls apart.  NULL where the driver has no graphs. */
struct recorder *hetad_cuda_recorder(int device, int parameters, int waits, const void **cells, const size_t *sizes,
                                     int count)
{
    struct recorder *r = have_graphs ? calloc(1, sizeof *r) : NULL;
    if (r == NULL)
        return NULL;
    r->device = device;
    r->waits = waits;
    r->cells = cells;
    r->sizes = sizes;
    r->cell_count = count;
    for (int i = 0; i < count; i++)
        r->key_bytes += sizes[i];
    r->pointers = calloc((size_t)parameters + 1, sizeof *r->pointers);
    return r;
}

/* The sweep of a call with these arguments: the one that is remembered, or the one that was used least recently. */
static struct sweep *sweep_of(struct recorder *r)
{
    struct sweep *oldest = r->sweeps;
    char *key = malloc(r->key_bytes + 1), *end = key;
    for (int i = 0; i < r->cell_count && key != NULL; end += r->sizes[i++])
        memcpy(end, r->cells[i], r->sizes[i]);
    for (struct sweep *s = r->sweeps; s < r->sweeps + SWEEPS; s++) {
        if (s->key != NULL && key != NULL && memcmp(s->key, key, r->key_bytes) == 0) {
            free(key);
            return s;
        }
        if (s->last_use < oldest->last_use)
            oldest = s;
    }
    drop_pieces(oldest, 0);
    free(oldest->key);
    oldest->key = key;
    return oldest;
}

/* After hetad_cuda_enter: the call runs through the recorder. */
int hetad_cuda_record(struct recorder *r)
{
    status code = 0;
    if (r->calls != 0 && r->stream != now.stream) /* the last call may still use the recorder's memory */
        code = failed(cuCtxSynchronize(), "waiting for the device");
    r->stream = now.stream;
    r->sweep = sweep_of(r);
    r->sweep->last_use = ++r->calls;
    r->piece = r->at = 0;
    r->compares = r->sweep->count > 0;
    now.recorder = r;
    return code;
}

const struct hetad_runtime *hetad_cuda_recording_runtime(void)
{
    return &recording_table;
}

/* How many graphs have been launched. */
unsigned long long hetad_cuda_replays(const struct recorder *r)
{
    return r->replays;
}

/* Frees a recorder, whatever device is current. */
void hetad_cuda_forget(struct recorder *r)
{
    void *context = NULL;
    cuCtxGetCurrent(&context);
    make_current(r->device);
    cuCtxSynchronize();
    for (struct sweep *s = r->sweeps; s < r->sweeps + SWEEPS; s++) {
        drop_pieces(s, 0);
        free(s->pieces);
        free(s->key);
    }
    for (size_t i = 0; i < r->block_count; i++)
        cuMemFree_v2(r->blocks[i].start);
    if (r->capture != NULL)
        cuStreamDestroy_v2(r->capture);
    cuCtxSetCurrent(context);
    free(r->blocks);
    free(r->pointers);
    free(r);
}
