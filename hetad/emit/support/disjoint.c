// What has been taken for granted of the program.
static void hetad_require(int holds, const char *message)
{
    if (!holds) {
        hetad_fail(message);
    }
}

static void hetad_require_disjoint(const void *p, const void *q, const char *message)
{
    struct hetad_allocation *a = hetad_find(p);
    const char *start = a != NULL ? a->start : NULL;
    struct hetad_allocation *b = hetad_find(q);
    if (p != NULL && (p == q || (start != NULL && b != NULL && b->start == start))) {
        hetad_fail(message);
    }
}

// That a pointer does not lead to the other space; managed memory (3) is in both.
static void hetad_require_space(const void *p, int on_device, const char *message)
{
    const struct hetad_allocation *a = hetad_find(p);
    if (a != NULL && a->on_device != 3 && (a->on_device != 0) != on_device) {
        hetad_fail(message);
    }
}

// The pointer that lies at p, in host memory; NULL where that memory ends before.
static void *hetad_pointer_at(const void *p)
{
    const struct hetad_allocation *a = hetad_find(p);
    void *found = NULL;
    if (a != NULL && (size_t)(hetad_end_of(a) - (const char *)p) >= sizeof found) {
        memcpy(&found, p, sizeof found);
    }
    return found;
}

// Whether two pointers certainly lead to different buffers.
static int hetad_apart(const void *p, const void *q)
{
    struct hetad_allocation *a = hetad_find(p);
    const char *start = a != NULL ? a->start : NULL;
    struct hetad_allocation *b = hetad_find(q);
    return start != NULL && b != NULL && b->start != start;
}
