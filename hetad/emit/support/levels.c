// Checkpoints of device memory in host memory: on the tape itself.
static int hetad_kept_on_host(const char *start, size_t bytes, int *on_device)
{
    if (hetad_budget.level == 0 || *on_device == 0) {
        return 0;
    }
    if (bytes > hetad_tape_room - hetad_tape_used) {
        hetad_tape_grow(bytes);
    }
    const int before = hetad_go_to(start);  // if used
    hetad_check(cudaMemcpy(hetad_tape + hetad_tape_used, start, bytes, cudaMemcpyDeviceToHost));
    hetad_go_back(before);  // if used
    hetad_hold(bytes);
    hetad_note(bytes);  // if used
    hetad_tape_used += bytes;
    *on_device = 2;
    return 1;
}

static int hetad_taken_from_host(char *start, size_t bytes, int on_device)
{
    if (on_device != 2) {
        return 0;
    }
    hetad_tape_used -= bytes;
    hetad_let_go(bytes);
    const int before = hetad_go_to(start);  // if used
    hetad_check(cudaMemcpy(start, hetad_tape + hetad_tape_used, bytes, cudaMemcpyHostToDevice));
    hetad_go_back(before);  // if used
    return 1;
}

// From here on snapshots of device memory go to the device (0) or to host memory (1).
static void hetad_set_level(int level)
{
    hetad_budget.level = level;
}
