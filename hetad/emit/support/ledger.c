// The number of allocations in front of p.
static size_t hetad_rank(const void *p)
{
    size_t low = 0, high = hetad_allocation_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (hetad_allocations[middle].start < (const char *)p) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static int hetad_is_allocation(const void *p, size_t rank)
{
    return rank < hetad_allocation_count && hetad_allocations[rank].start == (const char *)p;
}

static void hetad_allocated(void *p, size_t bytes, int on_device)
{
#ifdef HETAD_CHECKED
    hetad_trim(p, bytes);
#endif
    size_t rank = hetad_rank(p);
    if (!hetad_is_allocation(p, rank)) {
        hetad_make_room();
        memmove(hetad_allocations + rank + 1, hetad_allocations + rank,
                (hetad_allocation_count++ - rank) * sizeof *hetad_allocations);
    }
    struct hetad_allocation fresh = {(char *)p, on_device};
    hetad_allocations[rank] = fresh;
}

// Whether p, which may be freed now, is device memory.
static int hetad_deallocated(const void *p)
{
    size_t rank = hetad_rank(p);
    if (!hetad_is_allocation(p, rank)) {
        hetad_fail("the program frees memory that it did not allocate");
    }
    int on_device = hetad_allocations[rank].on_device;
    memmove(hetad_allocations + rank, hetad_allocations + rank + 1,
            (--hetad_allocation_count - rank) * sizeof *hetad_allocations);
    return on_device;
}

static void hetad_free_allocated(void)
{
    while (hetad_allocation_count > 0) {
        struct hetad_allocation last = hetad_allocations[--hetad_allocation_count];
        if (last.on_device) {
            cudaFree(last.start);
        } else {
            free(last.start);
        }
    }
}
