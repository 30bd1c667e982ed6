// Pointers, and handles of libraries, that lie in memory: in files there are names in the place of pointers, and handles
// are those of the process that goes on.  Both, where they are what they were when the first loop was opened, are what
// they are then in the other process.
struct hetad_held {
    size_t serial;                 // of the allocation
    size_t offset, bytes, stride;  // from `offset` on, `stride` bytes apart, so many bytes of them
    int are_pointers;
    char *first;                   // of the first of an allocation: its content when the first loop since was opened
};

static struct hetad_held *hetad_held;  // in the order of the allocations' numbers
static size_t hetad_held_count, hetad_held_room;

static void hetad_add_held(const void *p, const void *first, size_t bytes, size_t stride, int are_pointers)
{
    const struct hetad_allocation *a = hetad_find(p);
    if (a == NULL || a->serial == 0) {  // none, or a step's own
        return;
    }
    const struct hetad_held h = {a->serial, (size_t)((const char *)first - a->start), bytes, stride, are_pointers, NULL};
    if (hetad_held_count == hetad_held_room) {
        hetad_held_room = 2 * hetad_held_room + 16;
        hetad_held = (struct hetad_held *)hetad_larger(hetad_held, hetad_held_room * sizeof h);
    }
    hetad_held[hetad_held_count++] = h;
}

// The memory that has just been allocated has pointers, the first of them at `first`.
static void hetad_holds_pointers(const void *p, const void *first, size_t bytes, size_t stride)
{
    hetad_add_held(p, first, bytes, stride, 1);
}

static void hetad_holds_handles(const void *p, const void *first, size_t bytes, size_t stride)
{
    hetad_add_held(p, first, bytes, stride, 0);
}

// What an allocation holds begins here; `hetad_held_count` if that is nothing.
static size_t hetad_held_by(const struct hetad_allocation *a)
{
    size_t low = 0, high = hetad_held_count;
    while (a != NULL && low < high) {
        const size_t middle = (low + high) / 2;
        if (hetad_held[middle].serial < a->serial) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return a != NULL && low < hetad_held_count && hetad_held[low].serial == a->serial ? low : hetad_held_count;
}

// Where the content of an allocation is.
static char *hetad_content_of(const struct hetad_allocation *a)
{
    char *content = a->start;
    content = (char *)hetad_now(content);  // if used
    return content;
}

static char *hetad_copy_on_host(const char *content, size_t bytes, int on_device)
{
    char *copy = (char *)hetad_larger(NULL, bytes + 1);
    if (on_device) {
        hetad_check(cudaMemcpy(copy, content, bytes, cudaMemcpyDeviceToHost));
    } else {
        memcpy(copy, content, bytes);
    }
    return copy;
}

// Before a loop runs.
static void hetad_take_first_contents(void)
{
    for (size_t i = 0; i < hetad_allocation_count; ++i) {
        const struct hetad_allocation *a = &hetad_allocations[i];
        const size_t held = hetad_held_by(a);
        if (held < hetad_held_count && hetad_held[held].first == NULL) {
            hetad_held[held].first = hetad_copy_on_host(hetad_content_of(a), a->bytes, a->on_device);
        }
    }
}

static void hetad_forget_held(void)
{
    while (hetad_held_count > 0) {
        free(hetad_held[--hetad_held_count].first);
    }
}

// Bytes of an allocation on their way between a file and the host memory in which they are.
struct hetad_transfer {
    FILE *file;
    const char *name;
    const struct hetad_allocation *a;
    char *content;       // of the allocation, from `from` on
    size_t from, bytes;
    int writes;
};

static void hetad_transfer_pointer(const struct hetad_transfer *t, char *word, const char *first)
{
    struct hetad_name found = {HETAD_SAME, 0, 0};
    void *p;
    memcpy(&p, word, sizeof p);
    if (t->writes) {
        found = first != NULL && memcmp(first, word, sizeof p) == 0 ? found : hetad_name_of(p);
        hetad_write(t->file, &found, sizeof found, t->name);
        return;
    }
    hetad_read(t->file, &found, sizeof found, t->name);
    if (found.kind != HETAD_SAME) {
        p = hetad_named(found);
        memcpy(word, &p, sizeof p);
    } else if (first != NULL) {
        memcpy(word, first, sizeof p);
    }
}

static void hetad_transfer_handles(const struct hetad_transfer *t, char *handles, const char *first, size_t bytes)
{
    if (t->writes && (first == NULL || memcmp(first, handles, bytes) != 0)) {
        hetad_fail("resume: the program sets a handle in memory after its first time loop has begun, which means nothing "
                   "to another process");
    }
    if (first != NULL) {
        memcpy(handles, first, bytes);
    }
}

static void hetad_transfer_held(const struct hetad_transfer *t, const struct hetad_held *h, size_t at, const char *first)
{
    const size_t each = h->are_pointers ? sizeof(void *) : h->bytes;
    for (const size_t end = at + h->bytes; at + each <= end; at += each) {
        if (at < t->from || at + each > t->from + t->bytes) {
            continue;
        }
        char *here = t->content + (at - t->from);
        if (h->are_pointers) {
            hetad_transfer_pointer(t, here, first != NULL ? first + at : NULL);
        } else {
            hetad_transfer_handles(t, here, first != NULL ? first + at : NULL, each);
        }
    }
}

static size_t hetad_place_in(const struct hetad_allocation *a, const char *p)
{
    return a != NULL ? (size_t)(p - a->start) : 0;
}

// What is held in these bytes follows their raw content in the file.
static void hetad_transfer(const struct hetad_transfer *t)
{
    const size_t held = hetad_held_by(t->a);
    for (size_t i = held; i < hetad_held_count && hetad_held[i].serial == t->a->serial; ++i) {
        const struct hetad_held h = hetad_held[i];
        for (size_t at = h.offset; at < t->a->bytes; at += h.stride) {
            hetad_transfer_held(t, &h, at, hetad_held[held].first);
        }
    }
}

// `content`: where the allocation's bytes from `from` on are.
static void hetad_write_content(FILE *file, const struct hetad_allocation *a, const char *content, size_t from,
                                size_t bytes, int on_device, const char *name)
{
    if (hetad_held_by(a) == hetad_held_count) {
        if (on_device) {
            hetad_write_device(file, content, bytes, name);
        } else {
            hetad_write(file, content, bytes, name);
        }
        return;
    }
    char *copy = hetad_copy_on_host(content, bytes, on_device);
    const struct hetad_transfer t = {file, name, a, copy, from, bytes, 1};
    hetad_write(file, copy, bytes, name);
    hetad_transfer(&t);
    free(copy);
}

static void hetad_read_content(FILE *file, const struct hetad_allocation *a, char *content, size_t from, size_t bytes,
                               int on_device, const char *name)
{
    if (hetad_held_by(a) == hetad_held_count) {
        if (on_device) {
            hetad_read_device(file, content, bytes, name);
        } else {
            hetad_read(file, content, bytes, name);
        }
        return;
    }
    char *copy = (char *)hetad_larger(NULL, bytes + 1);
    const struct hetad_transfer t = {file, name, a, copy, from, bytes, 0};
    hetad_read(file, copy, bytes, name);
    hetad_transfer(&t);
    if (on_device) {
        hetad_check(cudaMemcpy(content, copy, bytes, cudaMemcpyHostToDevice));
    } else {
        memcpy(content, copy, bytes);
    }
    free(copy);
}
