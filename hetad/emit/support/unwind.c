// A call that stops half-way leaves its arguments as they were: their snapshots are undone, last to first.
static void hetad_unwind(void)
{
    while (hetad_last_snapshot > 0) {
        struct hetad_snapshot s;
        hetad_tape_used = hetad_last_snapshot - 1;
        memcpy(&s, hetad_tape + hetad_tape_used, sizeof s);
        hetad_last_snapshot = s.before;
        struct hetad_allocation *a = hetad_find(s.start);
        if (s.on_device == 5) {
            continue;
        }
        if (s.on_device == 4) { hetad_move_back(s.start, s.bytes, s.buffer); continue; }  // if used
        char *start = s.start;
        start = (char *)hetad_now(start);  // if used
        if (a != NULL && !a->owned && s.bytes > 0 && s.on_device == 1) {
            cudaMemcpy(start, hetad_buffers[s.buffer].data, s.bytes, cudaMemcpyDeviceToDevice);
        } else if (a != NULL && !a->owned && s.bytes > 0) {
            const char *kept = hetad_tape + hetad_tape_used - s.bytes;
            cudaMemcpy(start, kept, s.bytes, s.on_device ? cudaMemcpyHostToDevice : cudaMemcpyHostToHost);
        }
    }
}
