// The elements from `first` to `last`, counted from p; the whole allocation where they do not lie in it.
static void hetad_save_part(const void *p, long long first, long long last, size_t size)
{
    struct hetad_allocation *a = hetad_find(p);
    if (a == NULL || p == NULL) {
        hetad_save(p);
        return;
    }
    long long before = ((const char *)p - a->start) / (long long)size;
    long long behind = (hetad_end_of(a) - (const char *)p) / (long long)size;
    if (first > last || first < -before || last >= behind) {
        hetad_save(p);
        return;
    }
    hetad_save_bytes((char *)p + first * (long long)size, (size_t)(last - first + 1) * size, a->on_device);
}

static void hetad_restore_part(void *p)
{
    struct hetad_snapshot s;
    hetad_pop(&s, sizeof s);
    struct hetad_allocation *a = hetad_find(p);
    if (s.bytes > 0 && (a == NULL || s.start < a->start || s.start + s.bytes > hetad_end_of(a))) {
        hetad_fail("internal error: a snapshot of another allocation");
    }
    hetad_restore_bytes(&s, s.start);
}
