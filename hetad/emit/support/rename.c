// In place of a snapshot of bytes that will be overwritten: the allocation gets other memory, and what it had stays as it
// is.  Not where much of it lies beside these bytes, where the budget counts on less, or after an error.
static int hetad_moves(const char *start, size_t bytes, int whole)
{
    struct hetad_allocation *a = hetad_find(start);
    if (a == NULL || a->on_device != 1 || bytes == 0 || start < a->start || start + bytes > hetad_end_of(a)) {
        return 0;
    }
    const size_t rest = a->bytes - bytes;
    a->fresh = 0;
    if (hetad_budget.mode != HETAD_SAVES || (rest > 0 && hetad_budget.limit[0] > 0)) return 0;  // if used
    if (rest > a->bytes / 32 || cudaPeekAtLastError() != cudaSuccess) {
        return 0;
    }
    const size_t taken = hetad_take_buffer(a->bytes) + 1;
    hetad_copy_rest(a, hetad_at(a, taken), hetad_at(a, a->buffer), start, bytes);
    struct hetad_snapshot s = {(char *)start, bytes, a->buffer, 4};
    if (whole) {
        s.start = a->start;
        s.bytes = a->bytes;
    }
    s.before = hetad_last_snapshot;  // if used
    hetad_push(&s, sizeof s);
    hetad_last_snapshot = hetad_tape_used - sizeof s + 1;  // if used
    a->older = a->buffer;
    a->buffer = taken;
    a->fresh = 1;
    return 1;
}

// As hetad_save_part and hetad_save: what comes next overwrites the elements from `first` to `last`, if that is `sure`.
static void hetad_rename_part(const void *p, long long first, long long last, size_t size, int sure)
{
    const char *start = (const char *)p + first * (long long)size;
    if (!sure || first > last || !hetad_moves(start, (size_t)(last - first + 1) * size, 0)) {
        hetad_save_part(p, first, last, size);
    }
}

static void hetad_rename(const void *p, long long first, long long last, size_t size, int sure)
{
    const char *start = (const char *)p + first * (long long)size;
    if (!sure || first > last || !hetad_moves(start, (size_t)(last - first + 1) * size, 1)) {
        hetad_save(p);
    }
}

static void hetad_rename_range(const void *p, size_t bytes, int sure)
{
    if (!sure || p == NULL || !hetad_moves((const char *)p, bytes, 0)) {
        hetad_save_range(p, bytes);
    }
}

// What should have overwritten p's memory may have been refused: then it has the old content.
static void hetad_renamed(const void *p)
{
    struct hetad_allocation *a = hetad_find(p);
    if (a == NULL || !a->fresh) {
        return;
    }
    a->fresh = 0;
    if (cudaPeekAtLastError() != cudaSuccess) {
        cudaMemcpy(hetad_at(a, a->buffer), hetad_at(a, a->older), a->bytes, cudaMemcpyDeviceToDevice);
    }
}
