// The known buffers, sorted by address: where they lie, in which memory, and who frees them.
struct hetad_allocation {
    char *start;
    size_t bytes;
    int on_device;
    int owned;
    size_t each;  // see hetad_set_bytes: of the caller's, what each set of a batch has  // if used
    int zero;  // see hetad_was_zero: whether all of it is known to be zero  // if used
    size_t serial;  // see hetad_next_serial  // if used
    int constant;  // see hetad_constant: whether the program only reads it  // if used
    size_t buffer, older, fresh;  // see hetad_now: where the content is, and was; whether it was moved just now  // if used
};

static struct hetad_allocation *hetad_allocations;
static size_t hetad_allocation_count, hetad_last_found;

static size_t hetad_allocation_room;

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
