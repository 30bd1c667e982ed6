// What is saved can be given up, last to first: a step that was recorded can be recorded again from a checkpoint.
struct hetad_mark {
    size_t tape, held[2];  // held: with what has been given up below
};

static size_t hetad_given_up;  // bytes of snapshots on the device whose records are still on the tape

static struct hetad_mark hetad_mark_here(void)
{
    struct hetad_mark mark = {hetad_tape_used, {hetad_budget.held[0] + hetad_given_up, hetad_budget.held[1]}};
    return mark;
}

// The content that a snapshot keeps is not needed any more.
static void hetad_give_up(const struct hetad_snapshot *s)
{
    if (s->on_device == 4) { hetad_forget_moved(s->start, s->buffer); return; }  // if used
    if (s->on_device == 1 && s->bytes > 0) {
        hetad_put_buffer(s->buffer);
    }
}

// All that has been saved since, without taking it back.
static void hetad_discard(const struct hetad_mark *mark)
{
    while (hetad_last_snapshot > mark->tape) {
        struct hetad_snapshot s;
        memcpy(&s, hetad_tape + hetad_last_snapshot - 1, sizeof s);
        hetad_last_snapshot = s.before;
        hetad_give_up(&s);
    }
    hetad_tape_used = mark->tape;
    hetad_budget.held[0] = mark->held[0] - hetad_given_up;
    hetad_budget.held[1] = mark->held[1];
}

// Gives up the snapshots between two places on the tape, where their records stay until all is discarded.  How many bytes.
static size_t hetad_give_up_between(size_t from, size_t to)
{
    const size_t held = hetad_budget.held[0];
    const int level = hetad_budget.level;
    hetad_budget.level = 0;
    for (size_t at = hetad_last_snapshot; at > from;) {
        struct hetad_snapshot s;
        memcpy(&s, hetad_tape + at - 1, sizeof s);
        // The allocation itself keeps what it held first: where the content is now cannot go back there yet.
        if (at <= to && s.bytes > 0 && (s.on_device == 1 || (s.on_device == 4 && s.buffer > 0))) {
            hetad_put_buffer(s.on_device == 4 ? s.buffer - 1 : s.buffer);
            s.on_device = 5;
            memcpy(hetad_tape + at - 1, &s, sizeof s);
        }
        at = s.before;
    }
    hetad_budget.level = level;
    hetad_given_up += held - hetad_budget.held[0];
    return held - hetad_budget.held[0];
}
