// Whether an allocation is known to be zero in every cell.
static struct hetad_allocation *hetad_zeros(const void *p)
{
    struct hetad_allocation *a = hetad_find(p);
    return a != NULL && (const char *)p != hetad_end_of(a) ? a : NULL;
}

static void hetad_added_anywhere(void)
{
    for (size_t i = 0; i < hetad_allocation_count; ++i) {
        hetad_allocations[i].zero = 0;
    }
}

static void hetad_added(const void *p)
{
    struct hetad_allocation *a = hetad_zeros(p);
    if (a != NULL) {
        a->zero = 0;
    } else {
        hetad_added_anywhere();
    }
}

// In front of what adds to it: then it is not zero any more.
static bool hetad_was_zero(const void *p)
{
    struct hetad_allocation *a = hetad_zeros(p);
    const int zero = a != NULL && a->zero;
    hetad_added(p);
    return zero;
}

// The elements from `first` to `last`, counted from p, are zero now if that is `sure`.
static void hetad_cleared(const void *p, long long first, long long last, size_t size, int sure)
{
    struct hetad_allocation *a = sure ? hetad_zeros(p) : NULL;
    if (a != NULL) {
        const char *start = (const char *)p + first * (long long)size, *end = (const char *)p + (last + 1) * (long long)size;
        a->zero = a->on_device == 1 && start == a->start && end == hetad_end_of(a);
    }
}
