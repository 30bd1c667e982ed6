// As hetad_cleared, of every set.
static void hetad_cleared_sets(const void *p, long long first, long long last, size_t size, int sure)
{
    const struct hetad_allocation *a = hetad_find(p);
    const char *start = (const char *)p + first * (long long)size;
    if (sure && first <= last && hetad_covers(a, start, (size_t)(last - first + 1) * size)) {
        hetad_cleared(a->start, 0, (long long)a->bytes - 1, 1, 1);
    } else {
        hetad_cleared(p, first, last, size, sure);
    }
}
