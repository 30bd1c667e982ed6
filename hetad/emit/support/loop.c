// Time loops under a memory limit: what is known of each that runs, its steps one by one, and its checkpoints.
enum { HETAD_OPENED, HETAD_STATE_COUNTED, HETAD_START_COUNTED, HETAD_START_SAVED, HETAD_TRIPS_COUNTED, HETAD_BACK_AT_START,
       HETAD_FIRST_SAVED, HETAD_FIRST_COUNTED, HETAD_SCHEDULED, HETAD_PLAIN, HETAD_RECORDED, HETAD_REVERSED };
static const size_t HETAD_UNKNOWN = (size_t)-1;  // how many steps a loop has

struct hetad_needs {     // bytes that a step saves, of the steps seen so far the most
    size_t step, least;  // in all, and where loops inside it are run by schedules
    size_t rest;         // after loops inside it have begun, and outside them
};

struct hetad_checkpoint {  // lies on the tape, above the state that was saved
    struct hetad_mark before;
    size_t step;           // that begins with this state
    size_t below;          // where the one below ends on the tape, 0 if there is none
    int level;
    size_t file;  // see hetad_resumes: the number of the file that holds it too, 0 if there is none  // if used
};

struct hetad_loop {
    int line;                            // in the source
    int stage;                           // one of the above; without a schedule a loop is plain
    int outside;                         // what hetad_budget.mode is around the loop
    int turned;                          // the reverse sweep has begun
    int spoilt;                          // its schedule cannot be followed to the end
    int overflowed;                      // there was no room for all of what the current step saves
    int saves, counts, plans;            // a checkpoint is being saved; steps are run to be counted; a plan comes next
    size_t trips, state;                 // state: bytes of a checkpoint
    int ended, again;                    // the last step was none; all steps have been run before, to be counted
    size_t counted, least, beside;       // those of the budget when the loop was opened
    struct hetad_mark before_all;        // when the loop was opened
    size_t before[3];                    // when the current step began: counted, least and held
    size_t later;                        // room for what is saved after the loop
    size_t spare, around;                // what steps recorded in the forward sweep leave free; the same around the loop
    struct hetad_needs needs, planned;   // planned: when the schedule was made
    size_t most;                         // steps are recorded at a time
    int mode;                            // what the steps being run do
    size_t now, to;                      // the next of them, and where they end
    size_t recorded, left;               // those from `recorded` on are on the tape; how many have to be reversed
    size_t unknown;                      // what steps before this one save has been counted in part
    struct hetad_mark mark;              // where recording began
    struct hetad_checkpoint saved;       // while it is being saved
    size_t last, checkpoints;            // where the last one ends on the tape; how many there are
    int first_level;                     // of the first one
    const struct hetad_action *actions;  // of its schedule, whose steps are counted from `base`
    size_t next, count, base;
    struct hetad_action own[2];
    size_t closed;                       // where the loop that was closed before this one ends on the tape
    // Of a loop in which ranks meet: the least or the largest of what they say, what a step leaves, whether messages are on
    // their way.
    int64_t (*agree)(const struct hetad_loop *loop, int64_t value, int largest);
    void (*met_ranks)(struct hetad_loop *loop, int ends);
    void (*check_ways)(const struct hetad_loop *loop);
    size_t met[3], ranks;
    int resumes;  // see hetad_resumes: its number among those that another process can go on with, 0 if it is none  // if used
    struct hetad_mark cut;               // where the tape ends for the reverse sweep of this loop, and
    size_t given_up;                     // how many bytes above were given up
};

static struct hetad_loop hetad_loops[16];  // those that are running, one inside the other
static int hetad_loop_depth;
static size_t hetad_resumed[3];            // what reading a checkpoint that is kept must not change

static size_t hetad_last_closed;           // where the last loop that the forward sweep has closed ends on the tape

static void hetad_reset_loops(void)
{
    hetad_loop_depth = 0;
    hetad_last_closed = hetad_given_up = 0;
}

// What all ranks say that meet in the loop.
static size_t hetad_agreed(const struct hetad_loop *loop, size_t value, int largest)
{
    return loop->agree != NULL ? (size_t)loop->agree(loop, (int64_t)value, largest) : value;
}

static void hetad_agree_on_needs(struct hetad_loop *loop)
{
    loop->needs.step = hetad_agreed(loop, loop->needs.step, 1);
    loop->needs.least = hetad_agreed(loop, loop->needs.least, 1);
    loop->needs.rest = hetad_agreed(loop, loop->needs.rest, 1);
}

static struct hetad_loop hetad_closed_at(size_t end)
{
    struct hetad_loop loop;
    memcpy(&loop, hetad_tape + end - sizeof loop, sizeof loop);
    return loop;
}

// All that has been saved since, loops inside it among them.
static void hetad_cut(const struct hetad_mark *mark)
{
    while (hetad_last_closed > mark->tape) {
        const struct hetad_loop loop = hetad_closed_at(hetad_last_closed);
        hetad_given_up -= loop.given_up;
        hetad_last_closed = loop.closed;
    }
    hetad_discard(mark);
}

// The loop has run to its end, or somebody knows of a former run how many steps it has.
static void hetad_set_trips(struct hetad_loop *loop, size_t trips)
{
    loop->recorded = loop->recorded == loop->trips ? trips : loop->recorded;
    loop->trips = loop->left = loop->most = trips;
}

// --- steps

static int hetad_begin_step(struct hetad_loop *loop, size_t *at, size_t *until)
{
    hetad_budget.mode = loop->mode;
    hetad_budget.beside = 0;
    hetad_budget.met_loop = 0;
    loop->before[0] = hetad_budget.counted;
    loop->before[1] = hetad_budget.least;
    loop->before[2] = hetad_budget.held[0];
    hetad_account.repeated += loop->turned ? 1 : 0;
    if (loop->met_ranks != NULL) {
        loop->met_ranks(loop, 0);
    }
    hetad_watch_steps(loop == hetad_loops && loop->stage == HETAD_SCHEDULED, 0);  // if used
    *at = loop->now;
    *until = loop->now + 1;
    return HETAD_RUN;
}

static void hetad_end_step(struct hetad_loop *loop)
{
    if (loop->met_ranks != NULL) {
        loop->met_ranks(loop, 1);
    }
    const size_t saved = hetad_budget.held[0] - loop->before[2];
    const size_t step = hetad_budget.counted - loop->before[0] + saved;
    const size_t least = hetad_budget.least - loop->before[1] + saved;
    loop->needs.step = step > loop->needs.step ? step : loop->needs.step;
    loop->needs.least = least > loop->needs.least ? least : loop->needs.least;
    if (hetad_budget.met_loop && hetad_budget.beside > loop->needs.rest) {
        loop->needs.rest = hetad_budget.beside;
    }
    ++loop->now;
}

static int hetad_run(struct hetad_loop *loop, int mode, size_t from, size_t to, size_t *at, size_t *until)
{
    if (loop->check_ways != NULL && loop->stage != HETAD_PLAIN) {
        loop->check_ways(loop);
    }
    loop->mode = mode;
    loop->now = from;
    loop->to = to;
    if (mode == HETAD_SAVES) {
        loop->mark = hetad_mark_here();
        loop->recorded = from;
    }
    return hetad_begin_step(loop, at, until);
}

static int hetad_reverse(struct hetad_loop *loop, size_t from, size_t *at, size_t *until)
{
    *at = loop->left;
    *until = loop->now = loop->to = loop->recorded = loop->left = from;
    hetad_watch_steps(loop == hetad_loops ? (int64_t)(*at - from) : 0, 0);  // if used
    return HETAD_RUN;
}

// --- checkpoints

static int hetad_save_state(struct hetad_loop *loop, int level)
{
    const struct hetad_checkpoint made = {hetad_mark_here(), loop->now, loop->last, level};
    loop->saved = made;
    loop->saves = 1;
    hetad_set_level(level);
    return HETAD_CHECKPOINT;
}

// The last checkpoint there is.
static struct hetad_checkpoint hetad_top(const struct hetad_loop *loop)
{
    struct hetad_checkpoint top;
    memcpy(&top, hetad_tape + loop->last - sizeof top, sizeof top);
    return top;
}

static void hetad_drop_top(struct hetad_loop *loop)
{
    const struct hetad_checkpoint top = hetad_top(loop);
    hetad_cut(&top.before);
    loop->last = top.below;
    --loop->checkpoints;
}

// Those that no step begins any more which is left to be reversed.
static void hetad_drop_spent(struct hetad_loop *loop)
{
    while (loop->checkpoints > 0 && hetad_top(loop).step >= loop->left) {
        hetad_drop_top(loop);
    }
}

// The state is taken back and stays on the tape, should recording the steps that begin with it find no room.
static int hetad_load_state(struct hetad_loop *loop)
{
    const struct hetad_checkpoint top = hetad_top(loop);
    hetad_set_level(top.level);
    hetad_resumed[0] = hetad_tape_used;
    hetad_resumed[1] = hetad_budget.held[top.level];
    hetad_resumed[2] = hetad_last_snapshot;
    hetad_budget.keeps = 1;
    loop->now = loop->to = top.step;
    hetad_tape_used -= sizeof top;
    hetad_let_go(sizeof top);
    return HETAD_RESUME;
}

// A checkpoint has been written or read.
static void hetad_settle(struct hetad_loop *loop)
{
    if (loop->saves) {
        hetad_push(&loop->saved, sizeof loop->saved);
        loop->last = hetad_tape_used;
        ++loop->checkpoints;
        loop->saves = 0;
    }
    if (hetad_budget.keeps) {
        hetad_tape_used = hetad_resumed[0];
        hetad_budget.held[hetad_budget.level] = hetad_resumed[1];
        hetad_last_snapshot = hetad_resumed[2];
        hetad_budget.keeps = 0;
    }
    hetad_set_level(0);
    hetad_budget.mode = loop->outside;
}
