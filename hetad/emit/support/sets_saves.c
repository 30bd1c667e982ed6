// A value of each set, on the tape.
static void hetad_push_sets(const void *value, size_t bytes)
{
    const size_t each = hetad_set_bytes(value);
    for (size_t set = 0; set < hetad_sets; ++set) {
        hetad_push((const char *)value + set * each, bytes);
    }
}

static void hetad_pop_sets(void *value, size_t bytes)
{
    const size_t each = hetad_set_bytes(value);
    for (size_t set = hetad_sets; set-- > 0;) {
        hetad_pop((char *)value + set * each, bytes);
    }
}

// A snapshot of the same part of every set.
struct hetad_parts {
    char *start;
    size_t bytes, each, buffer;
    int on_device;
};

// The elements from `first` to `last`, counted from p, of every set; all of the memory where that is as good.
static void hetad_save_sets(const void *p, long long first, long long last, size_t size)
{
    struct hetad_allocation *a = hetad_find(p);
    const size_t each = hetad_set_bytes(p), bytes = (size_t)(last - first + 1) * size;
    char *start = (char *)p + first * (long long)size;
    size_t parts = each > 0 && first <= last && start >= a->start && start - a->start + bytes <= each && bytes < each;
    if (!parts) {
        if (each > 0) {
            hetad_save(p);
        } else {
            hetad_save_part(p, first, last, size);
        }
        hetad_push(&parts, sizeof parts);
        return;
    }
    struct hetad_parts s = {start, bytes, each, 0, a->on_device};
    start = (char *)hetad_now(start);  // if used
    if (s.on_device) {
        s.buffer = hetad_take_buffer(bytes * hetad_sets);
        hetad_check(hetad_copy_sets(hetad_buffers[s.buffer].data, bytes, start, each, bytes, cudaMemcpyDeviceToDevice));
    } else {
        for (size_t set = 0; set < hetad_sets; ++set) {
            hetad_push(start + set * each, bytes);
        }
    }
    hetad_push(&s, sizeof s);
    hetad_push(&parts, sizeof parts);
}

static void hetad_restore_sets(void *p)
{
    size_t parts;
    hetad_pop(&parts, sizeof parts);
    if (!parts) {
        hetad_restore_part(p);
        return;
    }
    struct hetad_parts s;
    hetad_pop(&s, sizeof s);
    char *start = s.start;
    start = (char *)hetad_now(start);  // if used
    if (s.on_device) {
        hetad_check(hetad_copy_sets(start, s.each, hetad_buffers[s.buffer].data, s.bytes, s.bytes,
                                    cudaMemcpyDeviceToDevice));
        hetad_put_buffer(s.buffer);
        return;
    }
    for (size_t set = hetad_sets; set-- > 0;) {
        hetad_pop(start + set * s.each, s.bytes);
    }
}
