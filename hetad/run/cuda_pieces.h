/* What a call does on the device, written down and compared: the pieces of cuda_graph.c. */
#include <stdlib.h>

enum { LAUNCH, COPY, SET, COPY_ROWS, SET_ROWS };
enum {
    SWEEPS = 8,          /* calls with different arguments that are remembered at a time */
    MOST = 1024,         /* operations of a piece: the device begins while the host compares the next one */
    RELAXED = 2,         /* CU_STREAM_CAPTURE_MODE_RELAXED */
    NON_BLOCKING = 1,    /* CU_STREAM_NON_BLOCKING */
};

struct operation {
    size_t size;     /* in bytes, with the arguments that follow */
    int what, which; /* which kernel, or the value of a fill */
    unsigned grid[3], block[3];
    size_t shared;
    device_ptr to, from;
    size_t bytes, height, to_pitch, from_pitch;
};

struct piece {
    char *operations;
    size_t used, room;
    int count;
    void *graph; /* CUgraphExec; NULL until the piece has come a second time */
};

struct sweep {
    void *key; /* the arguments of the call; NULL before there was one */
    struct piece *pieces;
    size_t count, room;
    unsigned long long last_use;
};

struct block {
    device_ptr start;
    size_t bytes;
    int used;
};

struct recorder {
    struct sweep sweeps[SWEEPS];
    unsigned long long calls, replays; /* graphs that were launched */
    struct block *blocks;
    size_t block_count, block_room;
    void **pointers; /* to the arguments of a launch */
    void *capture;   /* the stream on which graphs are captured */
    void *stream;    /* of the last call */
    const void **cells; /* the arguments that tell calls apart */
    const size_t *sizes;
    int cell_count;
    size_t key_bytes;
    int waits;       /* the program sees when the device is done: it measures time, or reads memory that both share */
    int device;      /* where the memory is */
    /* of the call that runs */
    struct sweep *sweep;
    size_t piece, at; /* the present one, and the bytes of it that came again */
    int compares;     /* everything in the piece so far was the same */
};

static int out_of_host_memory(void)
{
    return failed(OUT_OF_MEMORY, "out of host memory for a graph");
}

/* `array` with room for `count` elements and more; NULL where there is no memory, and then it is as it was. */
static void *with_room(void *array, size_t *room, size_t count, size_t bytes)
{
    size_t more = 2 * count + 16;
    void *moved = array;
    if (count > *room && (moved = realloc(array, more * bytes)) != NULL)
        *room = more;
    return moved;
}

/* --- operations ------------------------------------------------------------------------------------------------- */

static size_t argument_size(size_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

static status issue_launch(const struct recorder *r, const struct operation *o, const char *arguments, void *stream)
{
    const int first = now.module->first[o->which], end = now.module->first[o->which + 1];
    for (int i = first; i < end; i++) {
        r->pointers[i - first] = (void *)arguments;
        arguments += argument_size(now.module->sizes[i]);
    }
    r->pointers[end - first] = NULL;
    return start(o->which, o->grid, o->block, o->shared, stream, r->pointers);
}

static status issue_one(const struct recorder *r, const char *text, void *stream)
{
    struct operation o;
    memcpy(&o, text, sizeof o);
    switch (o.what) {
    case LAUNCH:
        return issue_launch(r, &o, text + sizeof o, stream);
    case COPY:
        return failed(cuMemcpyDtoDAsync_v2(o.to, o.from, o.bytes, stream), "copying memory");
    case SET:
        return failed(cuMemsetD8Async(o.to, (unsigned char)o.which, o.bytes, stream), "setting device memory");
    case COPY_ROWS: {
        struct rows_copy rows = {.width = o.bytes, .height = o.height};
        rows.from = rows_at((void *)(size_t)o.from, o.from_pitch, ON_DEVICE);
        rows.to = rows_at((void *)(size_t)o.to, o.to_pitch, ON_DEVICE);
        return failed(cuMemcpy2DAsync_v2(&rows, stream), "copying rows of memory");
    }
    }
    return failed(cuMemsetD2D8Async(o.to, o.to_pitch, (unsigned char)o.which, o.bytes, o.height, stream),
                  "setting rows of device memory");
}

/* Does the first operations of a piece, those in its first `end` bytes. */
static status issue(const struct recorder *r, const struct piece *p, size_t end, void *stream)
{
    status code = 0;
    size_t size;
    for (size_t at = 0; at < end && code == 0; at += size) {
        memcpy(&size, p->operations + at, sizeof size);
        code = issue_one(r, p->operations + at, stream);
    }
    return code;
}

static status wait_for_others(void)
{
    return now.other_streams ? failed(cuCtxSynchronize(), "waiting for the device") : 0;
}

/* --- pieces ----------------------------------------------------------------------------------------------------- */

static void drop_graph(struct piece *p)
{
    if (p->graph != NULL)
        cuGraphExecDestroy(p->graph);
    p->graph = NULL;
}

static void drop_pieces(struct sweep *s, size_t from)
{
    for (size_t i = from; i < s->count; i++) {
        drop_graph(&s->pieces[i]);
        free(s->pieces[i].operations);
    }
    s->count = from < s->count ? from : s->count;
}

static status capture(struct recorder *r, struct piece *p)
{
    void *graph = NULL;
    status code = 0, issued, ended;
    if (r->capture == NULL)
        code = cuStreamCreate(&r->capture, NON_BLOCKING);
    if (code == 0)
        code = cuStreamBeginCapture_v2(r->capture, RELAXED);
    if (code != 0)
        return failed(code, "capturing a graph");
    now.capturing = r->capture;
    issued = issue(r, p, p->used, r->capture);
    now.capturing = NULL;
    ended = cuStreamEndCapture(r->capture, &graph);
    code = issued != 0 ? issued : ended;
    if (code == 0)
        code = cuGraphInstantiateWithFlags(&p->graph, graph, 0);
    if (code != 0)
        p->graph = NULL;
    if (graph != NULL)
        cuGraphDestroy(graph);
    return failed(code, "capturing a graph");
}

/* From here on the present piece is another than in the call before. */
static status diverge(struct recorder *r, struct piece *p)
{
    size_t size;
    r->compares = 0;
    drop_graph(p);
    p->used = r->at;
    p->count = 0;
    for (size_t at = 0; at < p->used; at += size, p->count++)
        memcpy(&size, p->operations + at, sizeof size);
    return issue(r, p, p->used, now.stream);
}

/* The piece that operations go to now. */
static struct piece *present(struct recorder *r)
{
    struct sweep *s = r->sweep;
    if (r->piece == s->count) {
        void *moved = with_room(s->pieces, &s->room, s->count + 1, sizeof *s->pieces);
        if (moved == NULL)
            return NULL;
        s->pieces = moved;
        memset(&s->pieces[s->count++], 0, sizeof *s->pieces);
        r->compares = 0;
    }
    return &s->pieces[r->piece];
}

/* The piece is over: what the device was not yet told to do, it is told now. */
static status flush(struct recorder *r)
{
    struct piece *p = r->piece < r->sweep->count ? &r->sweep->pieces[r->piece] : NULL;
    status code = 0;
    if (p == NULL || (r->compares ? r->at : p->used) == 0)
        return 0;
    if (r->compares) {
        code = wait_for_others();
        if (code == 0 && r->at < p->used)
            code = diverge(r, p);
        else if (code == 0 && p->count == 1)
            code = issue(r, p, p->used, now.stream);
        else if (code == 0) {
            code = p->graph == NULL ? capture(r, p) : 0;
            if (code == 0)
                code = failed(cuGraphLaunch(p->graph, now.stream), "launching a graph");
            r->replays += code == 0;
        }
    }
    r->piece++;
    r->at = 0;
    r->compares = r->piece < r->sweep->count;
    return code;
}

static int same(const char *text, size_t left, const struct operation *o, void **args)
{
    if (left < o->size || memcmp(text, o, sizeof *o) != 0)
        return 0;
    text += sizeof *o;
    if (o->what == LAUNCH)
        for (int i = now.module->first[o->which], n = 0; i < now.module->first[o->which + 1]; i++, n++) {
            if (memcmp(text, args[n], now.module->sizes[i]) != 0)
                return 0;
            text += argument_size(now.module->sizes[i]);
        }
    return 1;
}

static int append(struct piece *p, const struct operation *o, void **args)
{
    char *text = with_room(p->operations, &p->room, p->used + o->size, 1);
    if (text == NULL)
        return out_of_host_memory();
    p->operations = text;
    text += p->used;
    memset(text, 0, o->size);
    memcpy(text, o, sizeof *o);
    text += sizeof *o;
    if (o->what == LAUNCH)
        for (int i = now.module->first[o->which], n = 0; i < now.module->first[o->which + 1]; i++, n++) {
            memcpy(text, args[n], now.module->sizes[i]);
            text += argument_size(now.module->sizes[i]);
        }
    p->used += o->size;
    p->count++;
    return 0;
}

/* An operation on our stream; `o` has no stray bytes between its members. */
static status record(struct operation *o, void **args)
{
    struct recorder *r = now.recorder;
    struct piece *p = present(r);
    status code = 0;
    if (p == NULL)
        return out_of_host_memory();
    o->size = sizeof *o;
    if (o->what == LAUNCH)
        for (int i = now.module->first[o->which]; i < now.module->first[o->which + 1]; i++)
            o->size += argument_size(now.module->sizes[i]);
    if (r->compares && same(p->operations + r->at, p->used - r->at, o, args)) {
        r->at += o->size;
        return r->at == p->used && p->count == MOST ? flush(r) : 0;
    }
    code = wait_for_others();
    if (code == 0 && r->compares)
        code = diverge(r, p);
    if (code == 0)
        code = append(p, o, args);
    if (code == 0)
        code = issue_one(r, p->operations + p->used - o->size, now.stream);
    return code == 0 && p->count == MOST ? flush(r) : code;
}

static struct operation operation(int what)
{
    struct operation o;
    memset(&o, 0, sizeof o);
    o.what = what;
    return o;
}
