static int hetad_on_device(const void *p)
{
    struct hetad_allocation *a = hetad_find(p);
    return a != NULL && a->on_device;
}

static void hetad_clear(void *p, size_t bytes, int on_device)
{
    hetad_sized(bytes);  // if used
    if (p == NULL || bytes == 0) {
        return;
    }
    if (on_device) {
        const int before = hetad_go_to(p);  // if used
        hetad_check(cudaMemset(p, 0, bytes));
        hetad_go_back(before);  // if used
    } else {
        memset(p, 0, bytes);
    }
}

// Bytes that are copied or set are whole numbers of `size` bytes each.
static void hetad_whole_numbers(const void *p, size_t bytes, size_t size)
{
    if (p != NULL && bytes > 0 && ((size_t)p % size != 0 || bytes % size != 0)) {
        hetad_fail("part of a number is copied or set, which has no derivative");
    }
}
