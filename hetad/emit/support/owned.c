// What the program has allocated: the start, size and kind of memory of each, in a hash table.  All else is the
// caller's or nobody's, and is never freed.
enum { HETAD_HOST, HETAD_DEVICE, HETAD_PINNED };

struct hetad_owned_block {
    char *start;  // NULL: the entry is empty
    size_t bytes;
    int memory;
};

static struct hetad_owned_block *hetad_owned;
static size_t hetad_owned_count, hetad_owned_room;  // the room is a power of two, at most half of it used

static size_t hetad_owned_slot(const char *p)
{
    size_t i = ((size_t)p >> 4) * (size_t)0x9e3779b97f4a7c15ull >> 20 & (hetad_owned_room - 1);
    while (hetad_owned[i].start != NULL && hetad_owned[i].start != p) {
        i = (i + 1) & (hetad_owned_room - 1);
    }
    return i;
}

static void hetad_owned_grow(void)
{
    struct hetad_owned_block *const old = hetad_owned;
    const size_t room = hetad_owned_room;
    hetad_owned = (struct hetad_owned_block *)calloc(room > 0 ? 2 * room : 64, sizeof *old);
    if (hetad_owned == NULL) {
        hetad_owned = old;
        hetad_fail("out of host memory");
    }
    hetad_owned_room = room > 0 ? 2 * room : 64;
    for (size_t i = 0; i < room; ++i) {
        if (old[i].start != NULL) {
            hetad_owned[hetad_owned_slot(old[i].start)] = old[i];
        }
    }
    free(old);
}

// Room for one more: to be asked for before there is memory that could get lost.
static void hetad_owned_reserve(void)
{
    if (2 * hetad_owned_count >= hetad_owned_room) {
        hetad_owned_grow();
    }
}

static void *hetad_own(void *p, size_t bytes, int memory)
{
    if (p != NULL) {
        struct hetad_owned_block *const b = &hetad_owned[hetad_owned_slot((char *)p)];
        hetad_owned_count += b->start == NULL;
        *b = (struct hetad_owned_block){(char *)p, bytes, memory};
    }
    return p;
}

// Forgets an entry; those behind it that belong further forward move up.
static void hetad_owned_drop(size_t i)
{
    hetad_owned[i].start = NULL;
    --hetad_owned_count;
    for (size_t j = (i + 1) & (hetad_owned_room - 1); hetad_owned[j].start != NULL; j = (j + 1) & (hetad_owned_room - 1)) {
        const struct hetad_owned_block moved = hetad_owned[j];
        hetad_owned[j].start = NULL;
        hetad_owned[hetad_owned_slot(moved.start)] = moved;
    }
}

// The arguments of the call: memory of the caller's, which the program may give up, each once, but which stays.
static void **hetad_given;
static size_t hetad_given_count;

static int hetad_given_away(const void *p)
{
    for (size_t i = 0; i < hetad_given_count; ++i) {
        if (hetad_given[i] == p) {
            hetad_given[i] = NULL;
            return 1;
        }
    }
    return 0;
}

__attribute__((noreturn)) static void hetad_refuse_free(const char *function, const char *p, int memory)
{
    static const char *const kinds[] = {"malloc", "cudaMalloc", "cudaMallocHost"};
    char text[256];
    snprintf(text, sizeof text, "%s: the program has not allocated this memory, or has freed it already", function);
    for (size_t i = 0; i < hetad_owned_room; ++i) {
        const struct hetad_owned_block *const b = &hetad_owned[i];
        if (b->start != NULL && b->start == p && b->memory != memory) {
            snprintf(text, sizeof text, "%s: this memory is of another kind, from %s", function, kinds[b->memory]);
        } else if (b->start != NULL && p > b->start && p < b->start + b->bytes) {
            snprintf(text, sizeof text, "%s: this pointer leads into memory from %s, %zu bytes behind its start", function,
                     kinds[b->memory], (size_t)(p - b->start));
        }
    }
    hetad_fail(text);
}

// The program frees p: whether that is to happen.
static int hetad_disown(void *p, int memory, const char *function)
{
    const size_t i = hetad_owned_room > 0 ? hetad_owned_slot((char *)p) : 0;
    if (hetad_owned_room > 0 && hetad_owned[i].start != NULL && hetad_owned[i].memory == memory) {
        hetad_owned_drop(i);
        return 1;
    }
    if (!hetad_given_away(p)) {
        hetad_refuse_free(function, (char *)p, memory);
    }
    return 0;
}

static inline void *hetad_own_malloc(size_t bytes)
{
    hetad_owned_reserve();
    return hetad_own(malloc(bytes), bytes, HETAD_HOST);
}

static inline void *hetad_own_calloc(size_t count, size_t size)
{
    hetad_owned_reserve();
    return hetad_own(calloc(count, size), count * size, HETAD_HOST);
}

static inline void *hetad_own_aligned(size_t alignment, size_t bytes)
{
    hetad_owned_reserve();
    return hetad_own(aligned_alloc(alignment, bytes), bytes, HETAD_HOST);
}

static inline void hetad_own_free(void *p)
{
    if (p != NULL && hetad_disown(p, HETAD_HOST, "free")) {
        free(p);
    }
}

static inline void *hetad_own_realloc(void *p, size_t bytes)
{
    hetad_owned_reserve();
    if (p != NULL) {
        const size_t i = hetad_owned_slot((char *)p);
        if (hetad_owned[i].start == NULL || hetad_owned[i].memory != HETAD_HOST) {
            hetad_refuse_free("realloc", (char *)p, HETAD_HOST);
        }
        const struct hetad_owned_block before = hetad_owned[i];
        hetad_owned_drop(i);
        void *const moved = realloc(p, bytes);
        if (moved == NULL && bytes > 0) {
            hetad_own(p, before.bytes, HETAD_HOST);
        }
        return hetad_own(moved, bytes, HETAD_HOST);
    }
    return hetad_own(malloc(bytes), bytes, HETAD_HOST);
}
