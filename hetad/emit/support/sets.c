// The sets of a batch that run at once.  Each has its own part of every allocation, one behind the other.
static size_t hetad_sets = 1;

// How many run at once, of which each has so many bytes of arguments and adjoints: as many as a grid may have along an
// axis, or so many that a GPU has enough to do, for more only take more memory.
static size_t hetad_sets_at_once(size_t bytes)
{
    const size_t most = 65535, enough = (size_t)64 << 20;
    if (bytes == 0 || enough / bytes >= most) {
        return most;
    }
    return enough / bytes > 0 ? enough / bytes : 1;
}

static void hetad_open_sets(size_t sets)
{
    hetad_sets = sets;
}

// Bytes for all sets, in parts that begin where vectors may.
static size_t hetad_of_sets(size_t bytes)
{
    const size_t each = bytes <= SIZE_MAX - 15 ? (bytes + 15) / 16 * 16 : bytes;
    return each <= PTRDIFF_MAX / hetad_sets ? each * hetad_sets : SIZE_MAX;
}

// How far apart the parts of two sets lie in the memory that p points into; 0 where all sets share it.
static size_t hetad_set_bytes(const void *p)
{
    const struct hetad_allocation *a = hetad_find(p);
    return a == NULL ? 0 : a->owned ? a->bytes / hetad_sets : a->each;
}

// Where a set has what p points to in the first one.
static void *hetad_of_set(const void *p, size_t set)
{
    return (char *)p + set * hetad_set_bytes(p);
}

// A buffer of the caller's, in which each set has so many bytes.
static void hetad_argument_sets(const void *p, size_t bytes, int on_device)
{
    if (p == NULL || bytes == 0) {
        return;
    }
    const char *const end = (const char *)p + bytes * hetad_sets;
    for (size_t i = 0; i < hetad_allocation_count; ++i) {
        const struct hetad_allocation *a = &hetad_allocations[i];
        if (a->start < end && hetad_end_of(a) > (const char *)p &&
            (a->start != (const char *)p || hetad_end_of(a) != end || a->each != bytes)) {
            hetad_fail("arrays that differ between the sets of a batch share memory with others: pass copies");
        }
    }
    hetad_register((void *)p, bytes * hetad_sets, on_device, 0);
    hetad_find(p)->each = bytes;
}

// Whether these bytes are all that a set has there.
static int hetad_covers(const struct hetad_allocation *a, const char *start, size_t bytes)
{
    return a != NULL && start == a->start && bytes * hetad_sets == a->bytes;
}
