// Time loops under a memory limit.  A loop asks again and again what to do next: save its state, take it back, run steps
// or reverse them.  What a step saves is recorded, skipped or counted, as hetad_budget.mode says.
enum { HETAD_FINISHED, HETAD_CHECKPOINT, HETAD_RESUME, HETAD_RUN };  // what hetad_next answers

enum { HETAD_OPENED, HETAD_STATE_COUNTED, HETAD_FIRST_SAVED, HETAD_STEP_COUNTED, HETAD_SCHEDULED, HETAD_RAN,
       HETAD_RECORDED, HETAD_REVERSED };

struct hetad_loop {
    int stage;                           // one of the last above
    int outside;                         // what hetad_budget.mode is around the loop
    size_t trips;
    size_t state;                        // bytes of a checkpoint
    size_t counted, least, beside;       // those of the budget when the loop was opened
    size_t rest;                         // what a step saves after loops inside it have begun, and outside them
    size_t later;                        // room for what is saved after the loop
    const struct hetad_action *actions;  // of its schedule, once it has one
    size_t next, count;
    int turned;                          // the reverse sweep has begun
};

static struct hetad_loop hetad_loops[16];  // those that are running, one inside the other
static int hetad_loop_depth;
static size_t hetad_resumed[3];            // what reading a checkpoint that is kept must not change

static void hetad_reset_loops(void)
{
    hetad_loop_depth = 0;
}

static void hetad_open_loop(size_t trips)
{
    if (hetad_loop_depth == 16) {
        hetad_fail("more than 16 time loops inside one another");
    }
    struct hetad_loop *loop = &hetad_loops[hetad_loop_depth++];
    memset(loop, 0, sizeof *loop);
    loop->trips = trips;
    loop->outside = hetad_budget.mode;
}

static void hetad_reopen_loop(void)
{
    hetad_pop(&hetad_loops[hetad_loop_depth++], sizeof hetad_loops[0]);
}

static int hetad_close_loop(struct hetad_loop *loop)
{
    hetad_push(loop, sizeof *loop);
    --hetad_loop_depth;
    return HETAD_FINISHED;
}

static int hetad_run(int mode, size_t from, size_t to, size_t *at, size_t *until)
{
    hetad_budget.mode = mode;
    *at = from;
    *until = to;
    return HETAD_RUN;
}

// A checkpoint has been written or read.
static void hetad_settle(const struct hetad_loop *loop)
{
    if (hetad_budget.keeps) {
        hetad_tape_used = hetad_resumed[0];
        hetad_budget.held[hetad_budget.level] = hetad_resumed[1];
        hetad_last_snapshot = hetad_resumed[2];  // if used
        hetad_budget.keeps = 0;
    }
    hetad_set_level(0);
    hetad_budget.mode = loop->outside;
}

// `least`: what a step saves where the loops inside it are run by schedules of their own.
static void hetad_too_small(const struct hetad_loop *loop, size_t step, size_t least)
{
    char text[500];
    int used = snprintf(text, sizeof text,
                        "the memory limit of %zu bytes is too small: %zu bytes are saved, and a time loop of %zu steps "
                        "needs %zu for its state and %zu for what one step saves", hetad_budget.limit[0],
                        hetad_budget.held[0], loop->trips, loop->state, step);
    if (least < step) {
        snprintf(text + used, sizeof text - (size_t)used,
                 ", which is %zu at least where the loops inside it are run by schedules", least);
    }
    hetad_fail(text);
}

// The state of the loop's start goes where there is more room to spare.
static int hetad_save_first(struct hetad_loop *loop)
{
    const int level = hetad_budget.held[1] + loop->state <= hetad_budget.limit[1];
    if (level == 0 && hetad_budget.held[0] + loop->state > hetad_budget.limit[0]) {
        hetad_too_small(loop, 0, 0);
    }
    hetad_set_level(level);
    loop->turned = level;  // until the schedule is made
    loop->stage = HETAD_FIRST_SAVED;
    return HETAD_CHECKPOINT;
}

// Room for what is saved after the loop: known for the rest of a step around it, else as much as a checkpoint if there is.
static size_t hetad_reserve(struct hetad_loop *loop, size_t room)
{
    size_t rest = 0;
    if (loop == hetad_loops) {
        rest = loop->later = room >= hetad_budget.least + loop->state ? loop->state : 0;
    } else if (!hetad_loops[0].turned) {
        rest = hetad_loops[0].later;
    }
    for (const struct hetad_loop *around = hetad_loops; around < loop; ++around) {
        rest += around->rest;
    }
    return rest < room ? rest : room;
}

// The outermost loop tells how far it is, if somebody watches.
static void hetad_watch_loop(const struct hetad_loop *loop)
{
    int64_t all = 0;
    for (size_t i = 0; i < loop->count; ++i) {
        all += loop->actions[i].to - loop->actions[i].from;
    }
    hetad_watch_steps(0, loop == hetad_loops ? all : 0);  // if used
}

static void hetad_make_schedule(struct hetad_loop *loop)
{
    const size_t step = hetad_budget.counted, room = hetad_budget.limit[0] - hetad_budget.held[0];
    loop->rest = hetad_budget.met_loop ? hetad_budget.beside : 0;
    const int64_t request[7] = {(int64_t)loop->trips, (int64_t)loop->state, (int64_t)step, (int64_t)hetad_budget.least,
                                (int64_t)(room - hetad_reserve(loop, room)),
                                (int64_t)(hetad_budget.limit[1] - hetad_budget.held[1]), loop->turned};
    const int64_t count = hetad_schedule(request, &loop->actions);
    if (count < 0) {
        hetad_fail("the schedule of a time loop could not be made");
    }
    if (count == 0) {
        hetad_budget.held[0] -= loop->turned ? 0 : loop->state;
        hetad_too_small(loop, step, hetad_budget.least);
    }
    loop->count = (size_t)count;
    loop->stage = HETAD_SCHEDULED;
    loop->turned = 0;
    hetad_budget.steps += loop->trips;
    hetad_watch_loop(loop);  // if used
}

// Before there is a schedule: the sizes of the state and of what a step saves are counted.
static int hetad_start_loop(struct hetad_loop *loop, size_t *at, size_t *until)
{
    if (loop->stage == HETAD_OPENED) {
        if (hetad_budget.limit[0] == 0 || loop->outside == HETAD_SKIPS || loop->trips < 2) {
            loop->stage = HETAD_RAN;
            return hetad_run(loop->outside, 0, loop->trips, at, until);
        }
        hetad_budget.beside = hetad_budget.met_loop ? hetad_budget.beside : 0;
        hetad_budget.met_loop = 1;
        loop->counted = hetad_budget.counted;
        loop->least = hetad_budget.least;
        loop->beside = hetad_budget.beside;
        loop->stage = HETAD_STATE_COUNTED;
        hetad_budget.mode = HETAD_COUNTS;
        return HETAD_CHECKPOINT;
    }
    if (loop->stage == HETAD_STATE_COUNTED) {
        loop->state = hetad_budget.counted - loop->counted;
        hetad_budget.counted = loop->counted;
        hetad_budget.least = loop->least;
        if (loop->outside == HETAD_SAVES) {
            return hetad_save_first(loop);
        }
        loop->stage = HETAD_RAN;
        return hetad_run(HETAD_COUNTS, 0, loop->trips, at, until);
    }
    hetad_budget.counted = hetad_budget.least = hetad_budget.beside = 0;  // no loop around this one counts
    hetad_budget.met_loop = 0;
    loop->stage = HETAD_STEP_COUNTED;
    return hetad_run(HETAD_COUNTS, 0, 1, at, until);
}

static int hetad_act(struct hetad_loop *loop, size_t *at, size_t *until)
{
    if (loop->next == loop->count) {
        --hetad_loop_depth;
        return HETAD_FINISHED;
    }
    const struct hetad_action a = loop->actions[loop->next++];
    hetad_watch_steps(loop == hetad_loops ? a.to - a.from : 0, 0);  // if used
    switch (a.kind) {
    case HETAD_ADVANCE:
    case HETAD_RECORD:
        hetad_budget.repeated += loop->turned ? (size_t)(a.to - a.from) : 0;
        return hetad_run(a.kind == HETAD_RECORD ? HETAD_SAVES : HETAD_SKIPS, (size_t)a.from, (size_t)a.to, at, until);
    case HETAD_SAVE:
        hetad_set_level((int)a.level);
        return HETAD_CHECKPOINT;
    case HETAD_LOAD:
        hetad_resumed[0] = hetad_tape_used;
        hetad_resumed[1] = hetad_budget.held[a.level];
        hetad_resumed[2] = hetad_last_snapshot;  // if used
        hetad_budget.keeps = 1;
        // fall through
    case HETAD_LOAD_LAST:
        hetad_set_level((int)a.level);
        return HETAD_RESUME;
    case HETAD_REVERSE:
        return hetad_run(loop->outside, (size_t)a.to, (size_t)a.from, at, until);
    }
    loop->turned = 1;
    return hetad_close_loop(loop);
}

static void hetad_next(int *what, size_t *at, size_t *until)
{
    struct hetad_loop *loop = &hetad_loops[hetad_loop_depth - 1];
    hetad_settle(loop);
    *at = *until = 0;
    switch (loop->stage) {
    case HETAD_STEP_COUNTED:
        hetad_make_schedule(loop);
        // fall through
    case HETAD_SCHEDULED:
        *what = hetad_act(loop, at, until);
        break;
    case HETAD_RAN:
        if (loop->state > 0) {  // only counted: a schedule might need no more than a checkpoint and one step
            const size_t all = hetad_budget.least - loop->least, least = loop->state + all / loop->trips;
            hetad_budget.least = loop->least + (least < all ? least : all);
            hetad_budget.beside = loop->beside;
        }
        loop->stage = HETAD_RECORDED;
        *what = hetad_close_loop(loop);
        break;
    case HETAD_RECORDED:
        loop->stage = HETAD_REVERSED;
        *what = hetad_run(loop->outside, loop->trips, 0, at, until);
        break;
    case HETAD_REVERSED:
        --hetad_loop_depth;
        *what = HETAD_FINISHED;
        break;
    default:
        *what = hetad_start_loop(loop, at, until);
    }
}
