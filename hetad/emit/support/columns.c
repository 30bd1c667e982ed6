// The allocations that a column of pointers points into, each once.  The first pointer lies at `first`, the others of
// the same memory `stride` bytes apart, before and behind.
static void hetad_save_column(const void *first, size_t stride)
{
    struct hetad_allocation *table = hetad_find(first);
    size_t count = 0;
    size_t offset = table != NULL ? (size_t)((const char *)first - table->start) % stride : 0;
    size_t bytes = table != NULL ? table->bytes : 0;
    char *start = table != NULL ? table->start : NULL;
    char **seen = (char **)malloc((bytes / stride + 1) * sizeof *seen);
    if (seen == NULL) {
        hetad_fail("out of host memory");
    }
    for (size_t at = offset; at + sizeof(void *) <= bytes; at += stride) {
        void *p;
        memcpy(&p, start + at, sizeof p);
        struct hetad_allocation *a = hetad_find(p);
        char *memory = a != NULL ? a->start : (char *)p;
        size_t i = 0;
        while (i < count && seen[i] != memory) {
            ++i;
        }
        if (p != NULL && i == count) {
            seen[count++] = memory;
            hetad_save(p);
        }
    }
    free(seen);
    hetad_push(&count, sizeof count);
}

static void hetad_restore_column(void)
{
    size_t count;
    hetad_pop(&count, sizeof count);
    while (count-- > 0) {
        struct hetad_snapshot s;
        hetad_pop(&s, sizeof s);
        hetad_restore_bytes(&s, s.start);
    }
}

// The same for the columns, `offset` into an element of `stride` bytes, of all the tables that a column points to.
static void hetad_save_columns(const void *first, size_t between, size_t offset, size_t stride)
{
    struct hetad_allocation *found = hetad_find(first);
    size_t count = 0, bytes = found != NULL ? found->bytes : 0;
    char *start = found != NULL ? found->start : NULL;
    size_t at = found != NULL ? (size_t)((const char *)first - start) % between : 0;
    for (; at + sizeof(void *) <= bytes; at += between) {
        char *p;
        memcpy(&p, start + at, sizeof p);
        if (p != NULL) {
            hetad_save_column(p + offset, stride);
            ++count;
        }
    }
    hetad_push(&count, sizeof count);
}

static void hetad_restore_columns(void)
{
    size_t count;
    hetad_pop(&count, sizeof count);
    while (count-- > 0) {
        hetad_restore_column();
    }
}
