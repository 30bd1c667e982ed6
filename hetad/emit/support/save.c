// The whole allocation that p points into.
static void hetad_save(const void *p)
{
    struct hetad_allocation *a = hetad_find(p);
    if (a != NULL) {
        hetad_save_bytes(a->start, a->bytes, a->on_device);
    } else if (p == NULL) {
        hetad_save_bytes(NULL, 0, 0);
    } else if (hetad_is_free(p)) { hetad_save_bytes(NULL, 0, 0);  // if used
    } else {
        hetad_fail("a pointer into unknown memory: its extent, and so what to save, is not known");
    }
}

static void hetad_restore(void *p)
{
    struct hetad_snapshot s;
    hetad_pop(&s, sizeof s);
    struct hetad_allocation *a = hetad_find(p);
    if (s.start != NULL && (a == NULL || a->start != s.start || a->bytes != s.bytes)) {
        hetad_fail("internal error: a snapshot of another allocation");
    }
    hetad_restore_bytes(&s, s.start);
}

// The same for a pointer that may not have been given a value yet.
static void hetad_save_reached(const void *p)
{
    hetad_save(hetad_find(p) != NULL ? p : NULL);
}
