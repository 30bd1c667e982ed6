// The record: what a derivative saves and restores itself, that has been differentiated; beside the tape of its own
// derivative.
struct hetad_record {
    char *start;
    size_t bytes;
    size_t buffer;  // of device memory
    int on_device;
};

static char *hetad_record_stack;
static size_t hetad_record_used, hetad_record_room;

static void hetad_put_record(const void *value, size_t bytes)
{
    if (bytes > hetad_record_room - hetad_record_used) {
        hetad_record_room = 2 * (hetad_record_used + bytes) + 4096;
        void *moved = realloc(hetad_record_stack, hetad_record_room);
        if (moved == NULL) {
            hetad_fail("out of host memory for the record");
        }
        hetad_record_stack = (char *)moved;
    }
    memcpy(hetad_record_stack + hetad_record_used, value, bytes);
    hetad_record_used += bytes;
}

static void *hetad_get_record(size_t bytes)
{
    if (bytes > hetad_record_used) {
        hetad_fail("internal error: the record is empty");
    }
    hetad_record_used -= bytes;
    return hetad_record_stack + hetad_record_used;
}

static void hetad_keep_value(const void *value, size_t bytes)
{
    hetad_put_record(value, bytes);
}

static void hetad_recall_value(void *value, size_t bytes)
{
    memcpy(value, hetad_get_record(bytes), bytes);
}

static void hetad_put_aside_value(void *value, size_t bytes)
{
    hetad_put_record(value, bytes);
    memset(value, 0, bytes);
}

static void hetad_keep_range(const void *p, size_t bytes)
{
    const struct hetad_allocation *a = hetad_find(p);
    struct hetad_record record = {(char *)p, p != NULL ? bytes : 0, 0, a != NULL && a->on_device};
    if (record.bytes > 0 && record.on_device) {
        record.buffer = hetad_take_buffer(bytes);
        hetad_check(cudaMemcpy(hetad_buffers[record.buffer].data, p, bytes, cudaMemcpyDeviceToDevice));
    } else if (record.bytes > 0) {
        hetad_put_record(p, bytes);
    }
    hetad_put_record(&record, sizeof record);
}

static struct hetad_record hetad_last_record(void)
{
    struct hetad_record record;
    memcpy(&record, hetad_get_record(sizeof record), sizeof record);
    return record;
}

static void hetad_recall_range(void *p, size_t bytes)
{
    const struct hetad_record record = hetad_last_record();
    if (record.bytes != (p != NULL ? bytes : 0)) {
        hetad_fail("internal error: a record of another length");
    }
    if (record.bytes > 0 && record.on_device) {
        hetad_check(cudaMemcpy(p, hetad_buffers[record.buffer].data, bytes, cudaMemcpyDeviceToDevice));
        hetad_put_buffer(record.buffer);
    } else if (record.bytes > 0) {
        memcpy(p, hetad_get_record(bytes), bytes);
    }
}

static void hetad_put_aside_range(void *p, size_t bytes)
{
    hetad_keep_range(p, bytes);
    hetad_clear(p, bytes, hetad_on_device(p));
}

// The whole allocation that p points into; nothing of what is none.
static struct hetad_allocation hetad_whole(const void *p)
{
    const struct hetad_allocation *a = hetad_find(p);
    struct hetad_allocation nothing = {NULL, 0, 0, 0};
    if (a == NULL && p != NULL) {
        hetad_fail("a pointer into unknown memory: its extent, and so what to record, is not known");
    }
    return a != NULL ? *a : nothing;
}

static void hetad_keep(const void *p)
{
    const struct hetad_allocation a = hetad_whole(p);
    hetad_keep_range(a.start, a.bytes);
}

static void hetad_recall(void *p)
{
    const struct hetad_allocation a = hetad_whole(p);
    hetad_recall_range(a.start, a.bytes);
}

static void hetad_put_aside(void *p)
{
    const struct hetad_allocation a = hetad_whole(p);
    hetad_put_aside_range(a.start, a.bytes);
}

static void hetad_record_reset(void)
{
    hetad_record_used = 0;
}
