// Copies on the device of host memory that holds pointers: by the start of that memory, made anew when it has changed.
struct hetad_table_copy {
    char *start;
    size_t bytes;
    char *copy;
    char *content;  // of the copy
};

// Pointers to such memory that lie in such memory: from `offset` on, `stride` bytes apart.
struct hetad_nested_column {
    char *start;
    size_t offset, stride;
};

static struct hetad_table_copy *hetad_table_copies;
static size_t hetad_table_copy_count, hetad_table_copy_room;

static struct hetad_nested_column *hetad_nested_columns;
static size_t hetad_nested_count, hetad_nested_room;

static void *hetad_grown(void *list, size_t count, size_t *room, size_t each)
{
    if (count < *room) {
        return list;
    }
    *room = 2 * *room + 16;
    void *moved = realloc(list, *room * each);
    if (moved == NULL) {
        hetad_fail("out of host memory");
    }
    return moved;
}

static void hetad_drop_table_copies(void)
{
    while (hetad_table_copy_count > 0) {
        struct hetad_table_copy *t = &hetad_table_copies[--hetad_table_copy_count];
        cudaFree(t->copy);
        free(t->content);
    }
}

static void hetad_drop_nested_columns(void)
{
    hetad_nested_count = 0;
}

static void hetad_nested(const void *first, size_t stride)
{
    struct hetad_allocation *a = hetad_find(first);
    if (a == NULL) {
        return;
    }
    struct hetad_nested_column c = {a->start, (size_t)((const char *)first - a->start) % stride, stride};
    for (size_t i = 0; i < hetad_nested_count; ++i) {
        const struct hetad_nested_column *known = &hetad_nested_columns[i];
        if (known->start == c.start && known->offset == c.offset && known->stride == c.stride) {
            return;
        }
    }
    hetad_nested_columns = (struct hetad_nested_column *)hetad_grown(
        hetad_nested_columns, hetad_nested_count, &hetad_nested_room, sizeof c);
    hetad_nested_columns[hetad_nested_count++] = c;
}

static int hetad_is_copy_of(const struct hetad_table_copy *t, const struct hetad_allocation *a)
{
    if (t->start == a->start && !hetad_is_here(t->copy)) return 0;  // if used
    return t->start == a->start;
}

// A copy whose content is not known yet is all ones, which no pointer is.
static struct hetad_table_copy *hetad_table_copy_of(const struct hetad_allocation *a)
{
    size_t i = 0;
    while (i < hetad_table_copy_count && !hetad_is_copy_of(&hetad_table_copies[i], a)) {
        ++i;
    }
    hetad_table_copies = (struct hetad_table_copy *)hetad_grown(
        hetad_table_copies, i, &hetad_table_copy_room, sizeof *hetad_table_copies);
    struct hetad_table_copy *t = &hetad_table_copies[i];
    if (i < hetad_table_copy_count && t->bytes == a->bytes) {
        return t;
    }
    if (i < hetad_table_copy_count) {
        cudaFree(t->copy);
        free(t->content);
    } else {
        ++hetad_table_copy_count;
    }
    t->start = a->start;
    t->bytes = a->bytes;
    t->copy = NULL;
    t->content = (char *)malloc(a->bytes);
    if (t->content == NULL) {
        hetad_fail("out of host memory");
    }
    hetad_check(cudaMalloc((void **)&t->copy, a->bytes));
    memset(t->content, 0xff, a->bytes);
    hetad_check(cudaMemcpy(t->copy, t->content, a->bytes, cudaMemcpyHostToDevice));
    return t;
}

static void *hetad_table_on_device(const void *p);

// Puts the copies of nested tables in their places, or the tables themselves.
static void hetad_set_nested(char *content, const char *start, size_t bytes, int copies)
{
    for (size_t i = 0; i < hetad_nested_count; ++i) {
        const struct hetad_nested_column c = hetad_nested_columns[i];
        for (size_t at = c.offset; c.start == start && at + sizeof(void *) <= bytes; at += c.stride) {
            void *p;
            memcpy(&p, start + at, sizeof p);
            p = copies ? hetad_table_on_device(p) : p;
            memcpy(content + at, &p, sizeof p);
        }
    }
}

// Where the copy has what p points to; p itself if that is no host memory.
static void *hetad_table_on_device(const void *p)
{
    const struct hetad_allocation *found = hetad_find(p);
    if (found == NULL || found->on_device || found->bytes == 0) {
        return (void *)p;
    }
    const struct hetad_allocation a = *found;
    char *content = (char *)malloc(a.bytes);
    if (content == NULL) {
        hetad_fail("out of host memory");
    }
    memcpy(content, a.start, a.bytes);
    hetad_set_nested(content, a.start, a.bytes, 1);
    struct hetad_table_copy *t = hetad_table_copy_of(&a);
    if (memcmp(t->content, content, a.bytes) != 0) {
        memcpy(t->content, content, a.bytes);
        hetad_check(cudaDeviceSynchronize());  // launches may still read it
        hetad_check(cudaMemcpy(t->copy, t->content, a.bytes, cudaMemcpyHostToDevice));
    }
    free(content);
    return t->copy + ((const char *)p - a.start);
}

// What a launch has changed in the copy.
static void hetad_read_back(const void *p)
{
    const struct hetad_allocation *found = hetad_find(p);
    if (found == NULL || found->on_device || found->bytes == 0) {
        return;
    }
    const struct hetad_allocation a = *found;
    struct hetad_table_copy *t = hetad_table_copy_of(&a);
    hetad_check(cudaDeviceSynchronize());
    hetad_check(cudaMemcpy(t->content, t->copy, a.bytes, cudaMemcpyDeviceToHost));
    char *content = (char *)malloc(a.bytes);
    if (content == NULL) {
        hetad_fail("out of host memory");
    }
    memcpy(content, t->content, a.bytes);
    hetad_set_nested(content, a.start, a.bytes, 0);
    memcpy(a.start, content, a.bytes);
    free(content);
}

// How many elements of `each` bytes are copied.
static size_t hetad_elements(size_t bytes, size_t each)
{
    if (bytes % each != 0) {
        hetad_fail("a part of an element of memory that holds pointers is copied");
    }
    return bytes / each;
}
