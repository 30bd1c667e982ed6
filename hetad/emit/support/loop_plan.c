// Schedules of time loops: the room for them, and the asking.
static void hetad_not_as_often(const struct hetad_loop *loop)
{
    char text[160];
    snprintf(text, sizeof text,
             "the time loop in line %d has not the same number of steps on all ranks: leave memory_limit out", loop->line);
    hetad_fail(text);
}

static size_t hetad_room_left(const struct hetad_loop *loop)
{
    const size_t taken = hetad_budget.held[0] + (loop->turned ? 0 : loop->spare);
    return hetad_agreed(loop, hetad_budget.limit[0] > taken ? hetad_budget.limit[0] - taken : 0, 0);
}

// Room for what is saved after the loop: known for the rest of a step around it, else as much as a checkpoint if there is.
static size_t hetad_reserve(struct hetad_loop *loop, size_t room)
{
    size_t rest = sizeof *loop;
    if (loop == hetad_loops) {
        loop->later = room >= loop->needs.least + loop->state + rest ? loop->state : 0;
    }
    rest += hetad_loops[0].turned ? 0 : hetad_loops[0].later;
    for (const struct hetad_loop *around = hetad_loops; around < loop; ++around) {
        rest += around->needs.rest + sizeof *loop;
    }
    return rest;
}

// The same in host memory, for checkpoints.
static size_t hetad_host_room_left(const struct hetad_loop *loop)
{
    return hetad_agreed(loop, hetad_budget.limit[1] - hetad_budget.held[1], 0);
}

// The outermost loop tells how far it is, if somebody watches.
static void hetad_watch_loop(const struct hetad_loop *loop, int64_t sign)
{
    int64_t all = 0;
    for (size_t i = loop->next; i < loop->count; ++i) {
        all += loop->actions[i].to - loop->actions[i].from;
    }
    hetad_watch_steps(0, loop == hetad_loops ? sign * all : 0);  // if used
}

// A schedule for the steps from `from` up to `to`; 0 if there is no room for one.  There is a checkpoint for `from`, at a
// level; the state is that before the step `now`, counted from there, or any other (-1).
static int hetad_make_schedule(struct hetad_loop *loop, size_t from, size_t to, int64_t now, int level)
{
    const int64_t request[9] = {(int64_t)(to - from), (int64_t)loop->state, (int64_t)loop->needs.step,
                                (int64_t)loop->needs.least, (int64_t)hetad_room_left(loop),
                                (int64_t)hetad_host_room_left(loop), level, now, (int64_t)loop->most};
    const int64_t count = hetad_schedule(request, &loop->actions);
    if (count < 0) {
        hetad_fail("the schedule of a time loop could not be made");
    }
    loop->planned = loop->needs;
    loop->base = from;
    loop->next = 0;
    loop->count = (size_t)count;
    hetad_watch_loop(loop, 1);  // if used
    return count > 0;
}
