// What the snapshots of a call's arguments are, for the case that the program stops half-way: arguments stay as they were.
static size_t hetad_entered_used;
static int hetad_entered_count;

static void hetad_entered(int snapshots)
{
    hetad_entered_used = hetad_tape_used;
    hetad_entered_count = snapshots;
}

static void hetad_undo_entry(void)
{
    int snapshots = hetad_entered_count;
    hetad_entered_count = 0;
    if (snapshots > 0) {
        hetad_tape_used = hetad_entered_used;
    }
    while (snapshots-- > 0) {
        struct hetad_snapshot s;
        hetad_pop(&s, sizeof s);
        hetad_restore_bytes(&s, s.start);
    }
}
