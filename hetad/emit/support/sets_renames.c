// As hetad_rename_part and hetad_rename, where a set overwrites all that it has there; else what is overwritten is saved.
static void hetad_rename_sets(const void *p, long long first, long long last, size_t size, int sure)
{
    const struct hetad_allocation *a = hetad_find(p);
    const char *start = (const char *)p + first * (long long)size;
    if (sure && first <= last && hetad_covers(a, start, (size_t)(last - first + 1) * size)) {
        size_t parts = 0;
        hetad_rename_part(a->start, 0, (long long)a->bytes - 1, 1, 1);
        hetad_push(&parts, sizeof parts);
    } else {
        hetad_save_sets(p, first, last, size);
    }
}

static void hetad_rename_all(const void *p, long long first, long long last, size_t size, int sure)
{
    const struct hetad_allocation *a = hetad_find(p);
    const char *start = (const char *)p + first * (long long)size;
    if (sure && first <= last && hetad_covers(a, start, (size_t)(last - first + 1) * size)) {
        hetad_rename(a->start, 0, (long long)a->bytes - 1, 1, 1);
    } else {
        hetad_save(p);
    }
}
