// The tape: values in the order they were saved, read back last to first.  Its memory serves later calls too.
static char *hetad_tape;
static size_t hetad_tape_used, hetad_tape_room;

static void hetad_tape_grow(size_t bytes)
{
    size_t room = 2 * (hetad_tape_used + bytes) + 4096;
    if (hetad_grown_in_file(&hetad_tape, &hetad_tape_room, room)) { return; }  // if used
    void *moved = realloc(hetad_tape, room);
    if (moved == NULL) {
        hetad_fail("out of host memory for the tape");
    }
    hetad_tape = (char *)moved;
    hetad_tape_room = room;
}

static inline void hetad_push(const void *value, size_t bytes)
{
    if (hetad_skips(bytes)) return;  // if used
    hetad_hold(bytes);  // if used
    hetad_note(bytes);  // if used
    if (bytes > hetad_tape_room - hetad_tape_used) {
        hetad_tape_grow(bytes);
    }
    memcpy(hetad_tape + hetad_tape_used, value, bytes);
    hetad_tape_used += bytes;
}

static inline void hetad_pop(void *value, size_t bytes)
{
    if (bytes > hetad_tape_used) {
        hetad_fail("internal error: the tape is empty");
    }
    hetad_let_go(bytes);  // if used
    hetad_tape_used -= bytes;
    memcpy(value, hetad_tape + hetad_tape_used, bytes);
}

// An ordinary tape is worth keeping, a huge one is not.
static void hetad_tape_reset(void)
{
    hetad_tape_used = 0;
    if (hetad_close_tape_file()) { hetad_tape = NULL; hetad_tape_room = 0; }  // if used
    if (hetad_tape_room > (size_t)64 << 20) {
        free(hetad_tape);
        hetad_tape = NULL;
        hetad_tape_room = 0;
    }
}
