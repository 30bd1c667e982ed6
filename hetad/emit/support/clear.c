static int hetad_on_device(const void *p)
{
    struct hetad_allocation *a = hetad_find(p);
    return a != NULL && a->on_device;
}

static void hetad_clear(void *p, size_t bytes)
{
    hetad_sized(bytes);  // if used
    if (p == NULL || bytes == 0) {
        return;
    }
    if (hetad_on_device(p)) {
        hetad_check(cudaMemset(p, 0, bytes));
    } else {
        memset(p, 0, bytes);
    }
}
