// What a time loop does next: its state is saved or taken back, its steps are run or reversed.  What a step saves is
// recorded, skipped or counted, as hetad_budget.mode says.
static void hetad_open_loop(int line, size_t trips)
{
    if (hetad_loop_depth == 16) {
        hetad_fail("more than 16 time loops inside one another");
    }
    struct hetad_loop *loop = &hetad_loops[hetad_loop_depth++];
    memset(loop, 0, sizeof *loop);
    loop->line = line;
    loop->trips = loop->recorded = loop->left = loop->most = trips;
    loop->outside = hetad_budget.mode;
    loop->around = hetad_budget.spare;
    loop->before_all = hetad_mark_here();
    loop->counted = hetad_budget.counted;
    loop->least = hetad_budget.least;
    loop->beside = hetad_budget.met_loop ? hetad_budget.beside : 0;
    hetad_budget.full = hetad_on_full;
    hetad_take_mark(loop);  // if used
}

static void hetad_reopen_loop(void)
{
    struct hetad_loop *loop = &hetad_loops[hetad_loop_depth++];
    hetad_pop(loop, sizeof *loop);
    hetad_take_mark(loop);  // if used
    hetad_last_closed = loop->closed;
    hetad_given_up -= loop->given_up;
    if (loop->cut.tape > 0) {
        hetad_cut(&loop->cut);
    }
}

static int hetad_close_loop(struct hetad_loop *loop)
{
    hetad_budget.beside = loop->beside;
    hetad_budget.met_loop = 1;
    hetad_budget.spare = loop->around;
    loop->closed = hetad_last_closed;
    --hetad_loop_depth;
    hetad_leave_steps(loop);  // if used
    hetad_push(loop, sizeof *loop);
    if (hetad_budget.mode == HETAD_SAVES) {
        hetad_last_closed = hetad_tape_used;
    }
    return HETAD_FINISHED;
}

// A loop without a schedule has run; where it was counted, a schedule might need no more than a checkpoint and one step.
static int hetad_end_plain(struct hetad_loop *loop)
{
    if (loop->state > 0) {
        const size_t all = hetad_budget.least - loop->least, least = loop->state + loop->needs.least;
        hetad_budget.least = loop->least + (least < all ? least : all);
    }
    loop->stage = HETAD_RECORDED;
    return hetad_close_loop(loop);
}

static int hetad_run_plain(struct hetad_loop *loop, size_t *at, size_t *until)
{
    loop->stage = HETAD_PLAIN;
    if (loop->trips == 0) {
        return hetad_end_plain(loop);
    }
    return hetad_run(loop, loop->outside, 0, loop->trips, at, until);
}

// Where a state of the loop goes: to where there is more room to spare; -1 if there is none.
static int hetad_level_for_first(struct hetad_loop *loop)
{
    const int level = (int)hetad_agreed(loop, hetad_budget.held[1] + loop->state <= hetad_budget.limit[1], 0);
    const int depth = hetad_loop_depth - 1;
    while (level == 0 && hetad_exceeds(loop->state) && hetad_shrink(depth)) {
    }
    if (level == 0 && hetad_agreed(loop, (size_t)hetad_exceeds(loop->state), 1)) {
        hetad_pass_on(loop);
        return -1;
    }
    loop->first_level = level;
    return level;
}

static int hetad_save_first(struct hetad_loop *loop, size_t *at, size_t *until)
{
    const int level = hetad_level_for_first(loop);
    if (level < 0) {
        return hetad_run_plain(loop, at, until);
    }
    loop->stage = HETAD_FIRST_SAVED;
    return hetad_save_state(loop, level);
}

// Only the steps tell how many there are: the state is saved in front of them, and taken back when they have been counted.
static int hetad_save_start(struct hetad_loop *loop, size_t *at, size_t *until)
{
    const int level = hetad_level_for_first(loop);
    if (level < 0) {
        return hetad_run_plain(loop, at, until);
    }
    loop->stage = HETAD_START_SAVED;
    hetad_set_level(level);
    return HETAD_START;
}

static int hetad_back_to_start(struct hetad_loop *loop)
{
    hetad_budget.counted = loop->counted;
    hetad_budget.least = loop->least;
    loop->stage = HETAD_BACK_AT_START;
    loop->again = 1;
    loop->now = loop->to = 0;
    hetad_account.repeated += loop->trips;
    hetad_set_level(loop->first_level);
    return HETAD_BACK;
}

// Inside of a loop in which ranks meet steps save what was counted, so that no rank needs another schedule.
static int hetad_is_inside_met(const struct hetad_loop *loop)
{
    return loop > hetad_loops && hetad_loops[0].agree != NULL;
}

// How many bytes a state has that has just been counted.
static size_t hetad_state_counted(const struct hetad_loop *loop)
{
    const size_t bytes = hetad_budget.counted - loop->counted + sizeof(struct hetad_checkpoint);
    hetad_budget.counted = loop->counted;
    hetad_budget.least = loop->least;
    return hetad_agreed(loop, bytes, 1);
}

static int hetad_count_state(struct hetad_loop *loop, int stage, int answer)
{
    loop->stage = stage;
    hetad_budget.mode = HETAD_COUNTS;
    return answer;
}

// Before there is a schedule: the sizes of the state and of what a step saves are counted.
static int hetad_start_loop(struct hetad_loop *loop, size_t *at, size_t *until)
{
    size_t state;
    switch (loop->stage) {
    case HETAD_STATE_COUNTED:
        loop->state = hetad_state_counted(loop);
        if (loop->outside == HETAD_SAVES && loop->trips == HETAD_UNKNOWN) {
            return hetad_count_state(loop, HETAD_START_COUNTED, HETAD_START);
        }
        return loop->outside == HETAD_SAVES ? hetad_save_first(loop, at, until) : hetad_run_plain(loop, at, until);
    case HETAD_START_COUNTED:
        state = hetad_state_counted(loop);
        loop->state = state > loop->state ? state : loop->state;
        return hetad_save_start(loop, at, until);
    case HETAD_START_SAVED:
        loop->stage = HETAD_TRIPS_COUNTED;
        return hetad_run(loop, HETAD_COUNTS, 0, HETAD_UNKNOWN, at, until);
    case HETAD_TRIPS_COUNTED:
        return hetad_back_to_start(loop);
    case HETAD_BACK_AT_START:
        return loop->trips < 2 ? hetad_run_plain(loop, at, until) : hetad_save_first(loop, at, until);
    case HETAD_FIRST_SAVED:
        loop->stage = HETAD_FIRST_COUNTED;
        return hetad_run(loop, HETAD_COUNTS, 0, 1, at, until);
    }
    if (hetad_budget.limit[0] == 0 || loop->outside == HETAD_SKIPS || loop->trips < 2 || hetad_is_inside_met(loop)) {
        return hetad_run_plain(loop, at, until);
    }
    return hetad_count_state(loop, HETAD_STATE_COUNTED, HETAD_CHECKPOINT);
}

// In front of each step of a loop of which it is not known how many there are: whether there is one more, which ranks that
// meet in the loop have to agree on.
static void hetad_goes_on(int *more, int holds)
{
    struct hetad_loop *loop = &hetad_loops[hetad_loop_depth - 1];
    if (loop->trips != HETAD_UNKNOWN) {
        *more = 1;
        return;
    }
    if (hetad_agreed(loop, (size_t)(holds != 0), 1) != hetad_agreed(loop, (size_t)(holds != 0), 0)) {
        hetad_not_as_often(loop);
    }
    loop->ended = !holds;
    *more = holds;
}

// What is done once is not done again.
static int hetad_first_run(void)
{
    for (int i = 0; i < hetad_loop_depth; ++i) {
        if (hetad_loops[i].again) {
            return 0;
        }
    }
    return 1;
}

// There was no further step.
static void hetad_end_unknown(struct hetad_loop *loop)
{
    loop->ended = 0;
    hetad_set_trips(loop, loop->now);
    loop->to = loop->now;
}

// Whether there is room for any one step beside the first checkpoint, when nothing else is saved any more.
static int hetad_fits(const struct hetad_loop *loop)
{
    const size_t state = loop->first_level == 0 ? loop->state : 0;
    return loop->before_all.held[0] - hetad_given_up + state + loop->needs.least <= hetad_budget.limit[0];
}

static int hetad_plan_first(struct hetad_loop *loop, int reserves)
{
    loop->spare = 0;
    loop->spare = reserves ? hetad_reserve(loop, hetad_room_left(loop)) : sizeof *loop;
    return hetad_make_schedule(loop, 0, loop->trips, 1, hetad_top(loop).level);
}

static void hetad_begin_schedule(struct hetad_loop *loop)
{
    hetad_agree_on_needs(loop);
    int found = hetad_plan_first(loop, 1) || hetad_plan_first(loop, 0);
    while (!found && !hetad_fits(loop) && hetad_shrink(hetad_loop_depth - 1)) {
        found = hetad_plan_first(loop, 0);
    }
    if (!found && (loop->agree != NULL || !hetad_fits(loop))) {
        hetad_pass_on(loop);
        return;
    }
    if (!found) {
        hetad_forget_schedule(loop);
    }
    loop->stage = HETAD_SCHEDULED;
    hetad_budget.spare = loop->spare;
    hetad_account.steps += loop->trips;
}

// A checkpoint in the forward sweep must leave room for what a step saves.
static int hetad_can_save(const struct hetad_loop *loop, int level)
{
    if (level > 0) {
        return hetad_budget.held[1] + loop->state <= hetad_budget.limit[1];
    }
    return loop->turned || !hetad_exceeds(loop->state + loop->needs.least);
}

// The end of the forward sweep.
static int hetad_turn(struct hetad_loop *loop)
{
    hetad_budget.spare = loop->around;
    if (loop->agree != NULL && hetad_exceeds(sizeof *loop)) {
        hetad_no_more_room(loop);
    }
    if (loop->agree == NULL && (loop->needs.step > loop->planned.step || loop->needs.least > loop->planned.least ||
                                hetad_exceeds(sizeof *loop))) {
        loop->spoilt = 1;
    }
    if (loop->spoilt) {
        hetad_forget_schedule(loop);
        if ((!hetad_fits(loop) || hetad_exceeds(sizeof *loop)) && loop->recorded < loop->trips) {
            hetad_forget_steps(loop);
        }
        while (!hetad_fits(loop) && hetad_shrink(hetad_loop_depth - 1)) {
        }
        if (!hetad_fits(loop)) {
            hetad_pass_on(loop);
            return hetad_end_plain(loop);
        }
        while (hetad_exceeds(sizeof *loop) && loop->checkpoints > 1) {
            hetad_drop_top(loop);
        }
    }
    hetad_budget.counted = loop->counted;
    hetad_budget.least = loop->least;
    loop->turned = 1;
    return hetad_close_loop(loop);
}

// The forward sweep goes on where a schedule has failed: with another one from here on if there is room for a checkpoint.
static int hetad_go_on(struct hetad_loop *loop, size_t *at, size_t *until)
{
    if (loop->now == loop->trips) {
        return hetad_turn(loop);
    }
    const int level = (int)hetad_agreed(loop, (size_t)hetad_can_save(loop, 1), 0);
    if (!loop->plans && hetad_agreed(loop, (size_t)hetad_can_save(loop, level), 0)) {
        loop->plans = 1;
        return hetad_save_state(loop, level);
    }
    if (loop->plans && hetad_make_schedule(loop, loop->now, loop->trips, 0, hetad_top(loop).level)) {
        loop->plans = 0;
        return HETAD_RUN;
    }
    loop->plans = 0;
    return hetad_run(loop, HETAD_COUNTS, loop->now, loop->trips, at, until);
}

// What to do when all that was planned is done.
static int hetad_act_without_plan(struct hetad_loop *loop, size_t *at, size_t *until)
{
    if (!loop->turned) {
        return hetad_go_on(loop, at, until);
    }
    if (loop->recorded < loop->left) {
        return hetad_reverse(loop, loop->recorded, at, until);
    }
    if (loop->left == 0) {
        --hetad_loop_depth;
        hetad_leave_steps(loop);  // if used
        return HETAD_FINISHED;
    }
    hetad_schedule_again(loop);
    return HETAD_RUN;
}

static int hetad_act(struct hetad_loop *loop, size_t *at, size_t *until)
{
    const struct hetad_action a = loop->actions[loop->next++];
    const size_t from = (size_t)a.from + loop->base, to = (size_t)a.to + loop->base;
    const int advancing = loop->turned && !loop->counts ? HETAD_SKIPS : HETAD_COUNTS;
    switch (a.kind) {
    case HETAD_ADVANCE:
    case HETAD_RECORD:
        return hetad_run(loop, a.kind == HETAD_RECORD ? HETAD_SAVES : advancing, from, to, at, until);
    case HETAD_SAVE:
        if (hetad_can_save(loop, (int)a.level)) {
            return hetad_save_state(loop, (int)a.level);
        }
        if (loop->agree != NULL) {
            hetad_no_more_room(loop);
        }
        loop->spoilt = 1;
        return HETAD_RUN;
    case HETAD_LOAD:
    case HETAD_LOAD_LAST:
        return hetad_load_state(loop);
    case HETAD_REVERSE:
        return hetad_reverse(loop, from, at, until);
    }
    return hetad_turn(loop);
}

// A step of the loop has been run.
static void hetad_after_step(struct hetad_loop *loop)
{
    if (loop->ended) {
        hetad_end_unknown(loop);
        return;
    }
    hetad_end_step(loop);
    if (loop->overflowed) {
        hetad_recover(loop);
    } else if (loop->stage == HETAD_FIRST_COUNTED) {
        hetad_begin_schedule(loop);
    }
}

static int hetad_answer(struct hetad_loop *loop, size_t *at, size_t *until)
{
    if (loop->now < loop->to) {
        hetad_after_step(loop);
    }
    hetad_between_steps(loop);  // if used
    if (loop->now < loop->to) {
        return hetad_begin_step(loop, at, until);
    }
    switch (loop->stage) {
    case HETAD_PLAIN:
        return hetad_end_plain(loop);
    case HETAD_RECORDED:
        loop->stage = HETAD_REVERSED;
        return hetad_reverse(loop, 0, at, until);
    case HETAD_REVERSED:
        --hetad_loop_depth;
        hetad_leave_steps(loop);  // if used
        return HETAD_FINISHED;
    case HETAD_SCHEDULED: {
        int answer = HETAD_RUN;  // of no steps: there is something more to do
        while (answer == HETAD_RUN && *at == *until) {
            hetad_drop_spent(loop);
            answer = loop->next < loop->count ? hetad_act(loop, at, until) : hetad_act_without_plan(loop, at, until);
        }
        return answer;
    }
    }
    return hetad_start_loop(loop, at, until);
}

static void hetad_next(int *what, size_t *at, size_t *until)
{
    struct hetad_loop *loop = &hetad_loops[hetad_loop_depth - 1];
    hetad_settle(loop);
    *at = *until = 0;
    *what = hetad_answer(loop, at, until);
}
