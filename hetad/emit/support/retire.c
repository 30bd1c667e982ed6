// Memory that the program frees in a loop serves its later allocations; the reverse sweep undoes this step by step, last
// to first, so that it finds every block at the address that it had.
struct hetad_block {
    char *start;
    size_t bytes;     // of the allocation that was there last
    size_t capacity;  // of the block
    int on_device;
};

static struct hetad_block *hetad_free_blocks, *hetad_reused;  // those without an allocation; what reuse replaced
static size_t hetad_free_count, hetad_free_room, hetad_reused_count, hetad_reused_room;

static void hetad_add_block(struct hetad_block **list, size_t *count, size_t *room, struct hetad_block block)
{
    if (*count == *room) {
        *room = 2 * *room + 16;
        void *moved = realloc(*list, *room * sizeof **list);
        if (moved == NULL) {
            hetad_fail("out of host memory");
        }
        *list = (struct hetad_block *)moved;
    }
    (*list)[(*count)++] = block;
}

// The last of the blocks in a list that starts at p; its place, or `count`.
static size_t hetad_last_block(const struct hetad_block *list, size_t count, const void *p)
{
    for (size_t i = count; i-- > 0;) {
        if (list[i].start == (const char *)p) {
            return i;
        }
    }
    return count;
}

static struct hetad_block hetad_take_block(struct hetad_block *list, size_t *count, size_t i)
{
    struct hetad_block block = list[i];
    memmove(list + i, list + i + 1, (--*count - i) * sizeof *list);
    return block;
}

static void hetad_set_aside(char *p, size_t bytes, size_t capacity, int on_device)
{
#ifdef HETAD_CHECKED
    hetad_mark_set_aside(p);
#endif
    struct hetad_block block = {p, bytes, capacity, on_device};
    hetad_add_block(&hetad_free_blocks, &hetad_free_count, &hetad_free_room, block);
}

// Whether p is an argument: its memory is never freed here.
static int hetad_is_callers(const void *p)
{
    struct hetad_allocation *a = hetad_find(p);
    return a != NULL && !a->owned && a->start == (const char *)p;
}

// The program frees p, which may be an argument.
static void hetad_freed(const void *p)
{
    struct hetad_allocation *a = hetad_find(p);
    if (p != NULL && (a == NULL || a->start != (const char *)p)) {
        hetad_fail("the program frees memory that it did not allocate");
    }
}

// The program frees p.
static void hetad_retire(void *p)
{
    struct hetad_allocation *a = hetad_find(p);
    if (p == NULL || hetad_is_callers(p)) {
        return;
    }
    if (a == NULL || !a->owned || a->start != (char *)p) {
        hetad_fail("the program frees memory that it did not allocate");
    }
    size_t i = hetad_last_block(hetad_reused, hetad_reused_count, p);
    size_t capacity = i < hetad_reused_count ? hetad_reused[i].capacity : a->bytes;
    hetad_set_aside(a->start, a->bytes, capacity, a->on_device);
    hetad_forget((size_t)(a - hetad_allocations));
}

// Undoes hetad_retire.
static void hetad_revive(void *p)
{
    size_t i = hetad_last_block(hetad_free_blocks, hetad_free_count, p);
    if (p == NULL || hetad_is_callers(p)) {
        return;
    }
    if (i == hetad_free_count) {
        hetad_fail("internal error: freed memory is not there again");
    }
    struct hetad_block block = hetad_take_block(hetad_free_blocks, &hetad_free_count, i);
    hetad_register(block.start, block.bytes, block.on_device, 1);
}

static void hetad_revive_zeros(void *p)
{
    hetad_revive(p);
    struct hetad_allocation *a = hetad_find(p);
    if (a != NULL && a->owned) {
        hetad_clear(p, a->bytes, a->on_device);
    }
}

// The block of freed memory that an allocation takes: one that is not much larger; `hetad_free_count` if there is none.
static size_t hetad_fitting_block(size_t bytes, int on_device)
{
    const size_t enough = 4 * bytes + 4096, looked_at = 64;
    for (size_t n = 0; bytes > 0 && n < looked_at && n < hetad_free_count; ++n) {
        size_t i = hetad_free_count - 1 - n;
        const struct hetad_block *b = &hetad_free_blocks[i];
        if (on_device == 1 && !hetad_is_here(b->start)) continue;  // if used
        if (b->on_device == on_device && b->capacity >= bytes && b->capacity <= enough) {
            return i;
        }
    }
    return hetad_free_count;
}

static int hetad_can_reuse(size_t bytes, int on_device)
{
    return hetad_fitting_block(bytes, on_device) < hetad_free_count;
}

static void *hetad_reuse(size_t bytes, int on_device)
{
    size_t i = hetad_fitting_block(bytes, on_device);
    struct hetad_block block = hetad_take_block(hetad_free_blocks, &hetad_free_count, i);
    hetad_add_block(&hetad_reused, &hetad_reused_count, &hetad_reused_room, block);
    hetad_register(block.start, bytes, on_device, 1);
    return block.start;
}

// Undoes hetad_reuse; 0 if the memory of p was new.
static int hetad_unuse(void *p)
{
    size_t i = hetad_last_block(hetad_reused, hetad_reused_count, p);
    if (i == hetad_reused_count) {
        return 0;
    }
    struct hetad_block block = hetad_take_block(hetad_reused, &hetad_reused_count, i);
    hetad_set_aside(block.start, block.bytes, block.capacity, block.on_device);
    return 1;
}

static int hetad_is_free(const void *p)
{
    for (size_t i = 0; i < hetad_free_count; ++i) {
        const struct hetad_block *b = &hetad_free_blocks[i];
        if ((const char *)p >= b->start && (const char *)p <= b->start + b->capacity) {
            return 1;
        }
    }
    return 0;
}

static void hetad_drop_blocks(void)
{
    while (hetad_free_count > 0) {
        struct hetad_block block = hetad_free_blocks[--hetad_free_count];
        if (block.on_device) {
            cudaFree(block.start);
        } else {
            free(block.start);
        }
    }
    hetad_reused_count = 0;
}
