// Time loops whose steps save more than was expected: recording is given up, then checkpoints, and a new schedule is made.
static void hetad_too_small(const struct hetad_loop *loop)
{
    char text[500];
    int used = snprintf(text, sizeof text,
                        "the memory limit of %zu bytes is too small: %zu bytes are saved, and the time loop in line %d",
                        hetad_budget.limit[0], loop->before_all.held[0] - hetad_given_up, loop->line);
    if (loop->trips != HETAD_UNKNOWN) {
        used += snprintf(text + used, sizeof text - (size_t)used, ", of %zu steps,", loop->trips);
    }
    used += snprintf(text + used, sizeof text - (size_t)used, " needs %zu for its state", loop->state);
    if (loop->needs.step > 0) {
        used += snprintf(text + used, sizeof text - (size_t)used, " and %zu for what one step saves", loop->needs.step);
    }
    if (loop->needs.least < loop->needs.step) {
        snprintf(text + used, sizeof text - (size_t)used,
                 ", which is %zu at least where the loops inside it are run by schedules", loop->needs.least);
    }
    hetad_fail(text);
}

// The innermost of the first `depth` loops that is recording; -1 if none is.
static int hetad_recording(int depth)
{
    int found = depth - 1;
    while (found >= 0 && !(hetad_loops[found].stage == HETAD_SCHEDULED && hetad_loops[found].mode == HETAD_SAVES &&
                           hetad_loops[found].now < hetad_loops[found].to)) {
        --found;
    }
    return found;
}

// Where ranks meet, none can leave the schedule by itself.
static void hetad_no_more_room(const struct hetad_loop *loop)
{
    char text[300];
    snprintf(text, sizeof text,
             "the memory limit of %zu bytes is too small: a later step of the time loop in line %d, in which ranks meet, "
             "saves more than the first one, %zu bytes on the rank where that is most", hetad_budget.limit[0],
             loop->line, loop->planned.step);
    hetad_fail(text);
}

// The innermost of the first `depth` loops that is recording goes on with its step without saving, and will record it
// again; so do the loops inside it.  0 if none is recording.
static int hetad_stop_recording(int depth)
{
    const int found = hetad_recording(depth);
    if (found < 0) {
        return 0;
    }
    if (hetad_loops[found].agree != NULL) {
        hetad_no_more_room(&hetad_loops[found]);
    }
    hetad_loops[found].overflowed = 1;
    hetad_budget.mode = HETAD_COUNTS;
    for (int i = found + 1; i < hetad_loop_depth; ++i) {
        hetad_loops[i].stage = HETAD_PLAIN;
        hetad_loops[i].outside = hetad_loops[i].mode = HETAD_COUNTS;
        hetad_loops[i].to = hetad_loops[i].trips;
    }
    return 1;
}

// What a loop that has been closed gives up last to first: the steps that it recorded last, then a checkpoint.  0: nothing.
static int hetad_shrink_closed(struct hetad_loop *loop, int checkpoints)
{
    if (loop->agree != NULL || loop->stage != HETAD_SCHEDULED || (checkpoints ? loop->checkpoints < 2 : loop->recorded == loop->trips)) {
        return 0;
    }
    if (checkpoints) {
        const struct hetad_checkpoint top = hetad_top(loop);
        loop->cut = top.before;
        loop->last = top.below;
        --loop->checkpoints;
    } else {
        loop->cut = loop->mark;
        loop->recorded = loop->trips;
    }
    hetad_watch_loop(loop, -1);  // if used
    loop->spoilt = 1;
    loop->next = loop->count = 0;
    return 1;
}

// Loops that have been closed make room, where no loop around `depth` of them can: recorded steps go first.
static int hetad_shrink(int depth)
{
    for (int checkpoints = 0; checkpoints < 2 && hetad_recording(depth) < 0; ++checkpoints) {
        for (size_t end = hetad_last_closed; end > 0;) {
            struct hetad_loop loop = hetad_closed_at(end);
            if (hetad_shrink_closed(&loop, checkpoints)) {
                loop.given_up += hetad_give_up_between(loop.cut.tape, end);
                memcpy(hetad_tape + end - sizeof loop, &loop, sizeof loop);
                return 1;
            }
            end = loop.closed;
            while (loop.cut.tape > 0 && end > loop.cut.tape) {
                end = hetad_closed_at(end).closed;
            }
        }
    }
    return 0;
}

static void hetad_on_full(size_t bytes)
{
    if (!hetad_stop_recording(hetad_loop_depth)) {
        while (hetad_exceeds(bytes) && hetad_shrink(hetad_loop_depth)) {
        }
    }
}

// The loop cannot keep within what there is: a loop around it may leave more another time.
static void hetad_pass_on(struct hetad_loop *loop)
{
    if (!hetad_stop_recording((int)(loop - hetad_loops))) {
        hetad_too_small(loop);
    }
}

static void hetad_forget_schedule(struct hetad_loop *loop)
{
    hetad_watch_loop(loop, -1);  // if used
    loop->spoilt = 1;
    loop->next = loop->count = 0;
}

// The steps recorded last are not needed on the tape: they will be recorded again.
static void hetad_forget_steps(struct hetad_loop *loop)
{
    hetad_cut(&loop->mark);
    loop->recorded = loop->turned ? loop->left : loop->trips;
}

// After a step that found no room to be recorded.
static void hetad_recover(struct hetad_loop *loop)
{
    const size_t steps = loop->now - loop->recorded;
    const int knows_better = loop->needs.step > loop->planned.step || loop->needs.least > loop->planned.least ||
                             loop->needs.rest > loop->planned.rest;
    loop->overflowed = 0;
    loop->to = loop->now;
    loop->unknown = hetad_budget.met_loop ? loop->now : loop->unknown;
    hetad_forget_steps(loop);
    hetad_forget_schedule(loop);
    if (!loop->turned || knows_better) {
        return;
    }
    if (steps > 1) {
        loop->most = steps / 2;
        return;
    }
    // How little loops inside a step can do with was only an estimate.
    loop->needs.least = hetad_room_left(loop) + 1;
    loop->needs.step = loop->needs.step > loop->needs.least ? loop->needs.step : loop->needs.least;
    if (loop->checkpoints < 2) {
        hetad_too_small(loop);
    }
}

// How many steps an optimal schedule advances, without those it records, where there are checkpoints for `checkpoints`
// states, that of the start among them: r n - b(s + 1, r - 1) with b(s, r) = (s + r)! / (s! r!).
static double hetad_extra_steps(size_t steps, size_t checkpoints)
{
    const double s = (double)(checkpoints < steps ? checkpoints : steps - 1);
    double r = 0, reached = 1, below = 0;
    while (steps > 1 && reached < (double)steps) {
        r += 1;
        below += reached;
        reached *= (s + r) / r;
    }
    return r * (double)steps - below;
}

// The last checkpoints go if fewer steps are run again with others in their place.
static void hetad_drop_some(struct hetad_loop *loop)
{
    const size_t room = hetad_room_left(loop), step = room < loop->needs.step ? loop->needs.least : loop->needs.step;
    const size_t on_host = hetad_host_room_left(loop) / loop->state;
    size_t spare = (room - step) / loop->state + on_host, best = 0;
    struct hetad_checkpoint at = hetad_top(loop);
    if ((loop->left - at.step) * step <= room) {
        return;
    }
    double kept = hetad_extra_steps(loop->left - at.step, spare + 1), gain = 0;
    for (size_t dropped = 1; dropped < loop->checkpoints && dropped < 100; ++dropped) {
        const size_t end = at.step;
        memcpy(&at, hetad_tape + at.below - sizeof at, sizeof at);
        kept += hetad_extra_steps(end - at.step, ++spare + 1);
        const double found = kept - hetad_extra_steps(loop->left - at.step, spare + 1);
        if (found > gain) {
            gain = found;
            best = dropped;
        }
    }
    while (best-- > 0) {
        hetad_drop_top(loop);
    }
}

// A schedule for the steps from the one that the last checkpoint begins up to those that have been reversed.
static void hetad_schedule_again(struct hetad_loop *loop)
{
    if (loop->unknown > hetad_top(loop).step) {
        const size_t from = hetad_top(loop).step, to = loop->unknown < loop->left ? loop->unknown : loop->left;
        const struct hetad_action load = {HETAD_LOAD, 0, 0, 0}, advance = {HETAD_ADVANCE, (int64_t)from, (int64_t)to, 0};
        loop->own[0] = load;
        loop->own[1] = advance;
        loop->actions = loop->own;
        loop->next = loop->base = loop->unknown = 0;
        loop->count = 2;
        loop->counts = 1;
        hetad_watch_loop(loop, 1);  // if used
        return;
    }
    loop->counts = 0;
    hetad_agree_on_needs(loop);
    while (loop->checkpoints > 1 && hetad_room_left(loop) < loop->needs.least) {
        hetad_drop_top(loop);
    }
    if (hetad_room_left(loop) < loop->needs.least) {
        hetad_too_small(loop);
    }
    hetad_drop_some(loop);
    const struct hetad_checkpoint top = hetad_top(loop);
    if (!hetad_make_schedule(loop, top.step, loop->left, -1, top.level)) {
        hetad_too_small(loop);
    }
}
