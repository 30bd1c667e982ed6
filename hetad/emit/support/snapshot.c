// Snapshots: a copy of memory and a record of it on the tape.  Host memory is copied onto the tape itself.
struct hetad_snapshot {
    char *start;
    size_t bytes;
    size_t buffer;
    int on_device;
};

static void hetad_save_bytes(char *start, size_t bytes, int on_device)
{
    struct hetad_snapshot s = {start, bytes, 0, on_device};
    if (bytes > 0 && on_device) {
        s.buffer = hetad_take_buffer(bytes);
        hetad_check(cudaMemcpy(hetad_buffers[s.buffer].data, start, bytes, cudaMemcpyDeviceToDevice));
    } else if (bytes > 0) {
        hetad_push(start, bytes);
    }
    hetad_push(&s, sizeof s);
}

static void hetad_restore_bytes(const struct hetad_snapshot *s, char *start)
{
    if (s->bytes > 0 && s->on_device) {
        hetad_check(cudaMemcpy(start, hetad_buffers[s->buffer].data, s->bytes, cudaMemcpyDeviceToDevice));
        hetad_put_buffer(s->buffer);
    } else if (s->bytes > 0) {
        hetad_pop(start, s->bytes);
    }
}
