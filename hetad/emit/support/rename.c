// Of an allocation that may get other memory in place of a snapshot of bytes that will be overwritten.  Not where much
// of it lies beside these bytes, where the budget counts on less, or after an error.
static struct hetad_allocation *hetad_movable(const char *start, size_t bytes, size_t most_of_rest)
{
    struct hetad_allocation *a = hetad_find(start);
    if (a == NULL || a->on_device != 1 || bytes == 0 || start < a->start || start + bytes > hetad_end_of(a)) {
        return NULL;
    }
    if (!hetad_is_here(start)) return NULL;  // if used
    const size_t rest = a->bytes - bytes;
    a->fresh = 0;
    if (rest > 0 && hetad_budget.limit[0] > 0) return NULL;  // if used
    if (hetad_is_full(a->bytes + sizeof(struct hetad_snapshot))) return NULL;  // if used
    return rest > a->bytes / most_of_rest || cudaPeekAtLastError() != cudaSuccess ? NULL : a;
}

// Its content is in the buffer `taken` from now on, and what it had stays as it is.
static void hetad_move(struct hetad_allocation *a, size_t taken, char *start, size_t bytes)
{
    struct hetad_snapshot s = {start, bytes, a->buffer, 4};
    s.before = hetad_last_snapshot;  // if used
    hetad_push(&s, sizeof s);
    hetad_last_snapshot = hetad_tape_used - sizeof s + 1;  // if used
    a->older = a->buffer;
    a->buffer = taken;
    a->fresh = 1;
}

static int hetad_moves(const char *start, size_t bytes, int whole)
{
    struct hetad_allocation *a = hetad_movable(start, bytes, 32);
    if (a == NULL) {
        return 0;
    }
    const size_t taken = hetad_take_buffer(a->bytes) + 1;
    hetad_copy_rest(a, hetad_at(a, taken), hetad_at(a, a->buffer), start, bytes);
    hetad_move(a, taken, whole ? a->start : (char *)start, whole ? a->bytes : bytes);
    return 1;
}

// n words: the first `head`, `tail` more from `behind` on, and of each `pitch` from `at` on the first `gap`.
static void hetad_copy_words(unsigned *to, unsigned *from, size_t head, size_t tail, size_t behind, size_t at, size_t gap,
                             size_t pitch, size_t n)
{
    if (n > 0) {
        HETAD_LAUNCH(hetad_copy_frame, (unsigned)((n + 255) / 256), 256, to, from, head, tail, behind, at, gap, pitch, n);
        hetad_check(cudaGetLastError());
    }
}

// The same where of each `pitch` bytes from `start` on only the first `run` are overwritten, and of them, if `pitch_2`
// is not 0, only what is in the first `run_2` of each `pitch_2`.  Where that leaves little to copy.
static int hetad_moves_rows(char *start, size_t bytes, size_t run, size_t pitch, size_t run_2, size_t pitch_2)
{
    const size_t word = sizeof(unsigned);
    if ((pitch - run) * 8 > pitch || (pitch_2 - run_2) * 8 > pitch_2 || run % word != 0 || pitch % word != 0) {
        return 0;
    }
    struct hetad_allocation *a = hetad_movable(start, bytes, 8);
    if (a == NULL || a->bytes % word != 0 || (size_t)(start - a->start) % word != 0) {
        return 0;
    }
    const size_t taken = hetad_take_buffer(a->bytes) + 1;
    unsigned *to = (unsigned *)hetad_at(a, taken), *from = (unsigned *)hetad_at(a, a->buffer);
    const size_t first = (size_t)(start - a->start) / word, behind = first + bytes / word;
    const size_t tail = a->bytes / word - behind;
    size_t gap = (pitch - run) / word;
    hetad_copy_words(to, from, first, tail, behind, first + run / word, gap, pitch / word,
                     first + tail + bytes / pitch * gap);
    if (pitch_2 > 0) {
        gap = (pitch_2 - run_2) / word;
        hetad_copy_words(to, from, 0, 0, 0, first + run_2 / word, gap, pitch_2 / word, bytes / pitch_2 * gap);
    }
    hetad_move(a, taken, a->start, a->bytes);
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

static void hetad_rename_planes(const void *p, long long first, long long last, size_t size, int sure, long long run,
                                long long pitch, long long run_2, long long pitch_2)
{
    char *start = (char *)p + first * (long long)size;
    const size_t bytes = (size_t)(last - first + 1) * size;
    if (!sure || first > last || !hetad_moves_rows(start, bytes, (size_t)run * size, (size_t)pitch * size,
                                                   (size_t)run_2 * size, (size_t)pitch_2 * size)) {
        hetad_save_part(p, first, last, size);
    }
}

static void hetad_rename_rows(const void *p, long long first, long long last, size_t size, int sure, long long run,
                              long long pitch)
{
    hetad_rename_planes(p, first, last, size, sure, run, pitch, 0, 0);
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
