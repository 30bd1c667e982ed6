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

// Whether two pointers certainly lead to different buffers.
static int hetad_apart(const void *p, const void *q)
{
    struct hetad_allocation *a = hetad_find(p);
    const char *start = a != NULL ? a->start : NULL;
    struct hetad_allocation *b = hetad_find(q);
    return start != NULL && b != NULL && b->start != start;
}
