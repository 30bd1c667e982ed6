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
#ifdef HETAD_CHECKED
    if (owned) {
        hetad_trim(p, bytes);
    }
#endif
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
    fresh.serial = hetad_next_serial();  // if used
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
