// The known buffers, sorted by address: which allocation a pointer lies in, how large it is, and in which memory.
struct hetad_allocation {
    char *start;
    size_t bytes;
    int on_device;
    int owned;
};

static struct hetad_allocation *hetad_allocations;
static size_t hetad_allocation_count, hetad_last_found;

static size_t hetad_allocation_room;

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

static int hetad_holds(const struct hetad_allocation *a, const char *p)
{
    return p >= a->start && p < a->start + (a->bytes > 0 ? a->bytes : 1);
}

// The allocation that p points into (or just past the end of); NULL if it is not known.
static struct hetad_allocation *hetad_find(const void *pointer)
{
    const char *p = (const char *)pointer;
    if (p == NULL || hetad_allocation_count == 0) {
        return NULL;
    }
    if (hetad_last_found < hetad_allocation_count && hetad_holds(&hetad_allocations[hetad_last_found], p)) {
        return &hetad_allocations[hetad_last_found];
    }
    size_t rank = hetad_rank(p);
    if (rank == 0 || p > hetad_allocations[rank - 1].start + hetad_allocations[rank - 1].bytes) {
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

// Arguments that overlap count as one allocation.  What the program allocates replaces what was there before.
static void hetad_register(void *pointer, size_t bytes, int on_device, int owned)
{
    char *start = (char *)pointer, *end = start + bytes;
    size_t position = hetad_rank(start);
    if (position > 0 && start < hetad_allocations[position - 1].start + hetad_allocations[position - 1].bytes) {
        --position;
    } else if (position > 0 && start == hetad_allocations[position - 1].start) {
        --position;
    }
    while (position < hetad_allocation_count && hetad_allocations[position].start <= start + (bytes > 0 ? bytes - 1 : 0)) {
        struct hetad_allocation old = hetad_allocations[position];
        if (!owned) {
            start = old.start < start ? old.start : start;
            end = old.start + old.bytes > end ? old.start + old.bytes : end;
            owned = old.owned;
        }
        hetad_forget(position);
    }
    if (hetad_allocation_count == hetad_allocation_room) {
        size_t room = 2 * hetad_allocation_room + 16;
        void *moved = realloc(hetad_allocations, room * sizeof *hetad_allocations);
        if (moved == NULL) {
            hetad_fail("out of host memory");
        }
        hetad_allocations = (struct hetad_allocation *)moved;
        hetad_allocation_room = room;
    }
    memmove(hetad_allocations + position + 1, hetad_allocations + position,
            (hetad_allocation_count - position) * sizeof *hetad_allocations);
    struct hetad_allocation fresh = {start, (size_t)(end - start), on_device, owned};
    hetad_allocations[position] = fresh;
    ++hetad_allocation_count;
}
