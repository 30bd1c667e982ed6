// Where the content of p's memory is now: there, or in a buffer that has taken its place for the time.
static void *hetad_at(const struct hetad_allocation *a, size_t buffer)
{
    return buffer > 0 ? hetad_buffers[buffer - 1].data : (void *)a->start;
}

static void *hetad_now(const void *p)
{
    const struct hetad_allocation *a = hetad_find(p);
    if (a == NULL || (const char *)p == hetad_end_of(a)) {  // other memory may start where this one ends
        return (void *)p;
    }
    return (char *)hetad_at(a, a->buffer) + ((const char *)p - a->start);
}

// What an allocation has beside the bytes from `start` on.
static void hetad_copy_rest(const struct hetad_allocation *a, void *to, const void *from, const char *start, size_t bytes)
{
    const size_t before = (size_t)(start - a->start), behind = a->bytes - before - bytes;
    if (before > 0) {
        hetad_check(cudaMemcpy(to, from, before, cudaMemcpyDeviceToDevice));
    }
    if (behind > 0) {
        hetad_check(cudaMemcpy((char *)to + before + bytes, (const char *)from + before + bytes, behind,
                               cudaMemcpyDeviceToDevice));
    }
}

// Undoes hetad_moves, for the bytes that were overwritten: the content is where it was.
static void hetad_move_back(const char *start, size_t bytes, size_t buffer)
{
    struct hetad_allocation *a = hetad_find(start);
    const int before = hetad_go_to(start);  // if used
    hetad_copy_rest(a, hetad_at(a, buffer), hetad_at(a, a->buffer), start, bytes);
    hetad_go_back(before);  // if used
    hetad_put_buffer(a->buffer - 1);
    a->buffer = buffer;
    a->fresh = 0;
}

// The content that hetad_moves has kept is given up; where the content is now stays, or it goes back to the allocation.
static void hetad_forget_moved(const char *start, size_t kept)
{
    struct hetad_allocation *a = hetad_find(start);
    size_t given_up = kept;
    if (kept == 0) {
        hetad_check(cudaMemcpy(a->start, hetad_at(a, a->buffer), a->bytes, cudaMemcpyDeviceToDevice));
        given_up = a->buffer;
        a->buffer = 0;
    }
    hetad_put_buffer(given_up - 1);
    a->fresh = 0;
}
