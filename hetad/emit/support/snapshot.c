// Snapshots: a copy of memory and a record of it on the tape.  Host memory is copied onto the tape itself.
struct hetad_snapshot {
    char *start;
    size_t bytes;
    size_t buffer;
    int on_device;  // of the allocation; 2: on the tape; 4: in place, and the content has moved from `buffer`;
                    // 5: given up
    size_t before;  // hetad_last_snapshot when it was made  // if used
};

static void hetad_save_bytes(char *start, size_t bytes, int on_device)
{
    struct hetad_snapshot s = {start, bytes, 0, on_device};
    if (hetad_skips(bytes + sizeof s)) return;  // if used
    start = (char *)hetad_now(start);  // if used
    if (bytes > 0 && hetad_kept_on_host(start, bytes, &s.on_device)) bytes = 0;  // if used
    if (bytes > 0 && on_device) {
        const int before = hetad_go_to(start);  // if used
        s.buffer = hetad_take_buffer(bytes);
        hetad_check(cudaMemcpy(hetad_buffers[s.buffer].data, start, bytes, cudaMemcpyDeviceToDevice));
        hetad_go_back(before);  // if used
    } else if (bytes > 0) {
        hetad_push(start, bytes);
    }
    s.before = hetad_last_snapshot;  // if used
    hetad_push(&s, sizeof s);
    hetad_last_snapshot = hetad_tape_used - sizeof s + 1;  // if used
}

static void hetad_restore_bytes(const struct hetad_snapshot *s, char *start)
{
    hetad_last_snapshot = s->before;  // if used
    if (s->on_device == 4) { hetad_move_back(s->start, s->bytes, s->buffer); return; }  // if used
    start = (char *)hetad_now(start);  // if used
    if (hetad_taken_from_host(start, s->bytes, s->on_device)) return;  // if used
    if (s->bytes > 0 && s->on_device) {
        const int before = hetad_go_to(start);  // if used
        hetad_check(cudaMemcpy(start, hetad_buffers[s->buffer].data, s->bytes, cudaMemcpyDeviceToDevice));
        hetad_go_back(before);  // if used
        hetad_put_buffer(s->buffer);
    } else if (s->bytes > 0) {
        hetad_pop(start, s->bytes);
    }
}
