// Schedules by halves: a checkpoint in the middle of what is still to be reversed, as long as there is room for one.
static struct hetad_action *hetad_actions;
static int64_t hetad_action_count, hetad_action_room;

static void hetad_add(int64_t kind, int64_t from, int64_t to, int64_t level)
{
    if (hetad_action_count == hetad_action_room) {
        hetad_action_room = 2 * hetad_action_room + 64;
        void *moved = realloc(hetad_actions, (size_t)hetad_action_room * sizeof *hetad_actions);
        if (moved == NULL) {
            hetad_fail("out of host memory");
        }
        hetad_actions = (struct hetad_action *)moved;
    }
    struct hetad_action action = {kind, from, to, level};
    hetad_actions[hetad_action_count++] = action;
}

// The steps [from, to) in the reverse sweep, which the first of them begins.
static void hetad_add_steps(int64_t from, int64_t to, int64_t *turned)
{
    hetad_add(HETAD_RECORD, from, to, 0);
    if (!*turned) {
        hetad_add(HETAD_TURN, 0, 0, 0);
    }
    *turned = 1;
    hetad_add(HETAD_REVERSE, from, to, 0);
}

// Reverses the steps [from, to): there is a checkpoint, the last one, of the state before `from`, and room for `spare`
// more and for what `most` steps save.  The state is that before the step `now`.
static void hetad_add_range(int64_t now, int64_t from, int64_t to, int64_t spare, int64_t most, int64_t level,
                            int64_t *turned)
{
    while (to - from > most || now > from) {
        int64_t cut = spare > 0 ? from + (to - from + 1) / 2 : to - most;
        if (cut < now || to - now <= most) {
            cut = now;
        }
        if (cut > now) {
            hetad_add(HETAD_ADVANCE, now, cut, 0);
        }
        if (to - cut > most) {
            hetad_add(HETAD_SAVE, 0, 0, 0);
            hetad_add_range(cut, cut, to, spare - 1, most, 0, turned);
        } else {
            hetad_add_steps(cut, to, turned);
        }
        to = cut;
        if (to - from <= most) {
            break;
        }
        hetad_add(HETAD_LOAD, 0, 0, level);
        now = from;
    }
    hetad_add(HETAD_LOAD_LAST, 0, 0, level);
    hetad_add_steps(from, to, turned);
}

// The actions, for a request as hetad_make_schedule makes it; how many, 0 where the memory limit allows for none.
static int64_t hetad_schedule(const int64_t request[9], const struct hetad_action **actions)
{
    const int64_t trips = request[0], state = request[1], room = request[4], now = request[7] > 0;
    const int64_t step = (room > request[2] ? request[2] : request[3]) + 1;
    const int64_t all = room / step >= trips - now && request[8] >= trips - now;
    if (room < step) {
        return 0;
    }
    const int64_t spare = all || state == 0 ? 0 : (room - step) / state;
    const int64_t fitting = (room - spare * state) / step, most = fitting < request[8] ? fitting : request[8];
    int64_t turned = request[7] < 0;
    hetad_actions = NULL;  // those of a loop around this one are still in use
    hetad_action_count = hetad_action_room = 0;
    if (turned && trips > most) {
        hetad_add(HETAD_LOAD, 0, 0, request[6]);
    }
    if (request[7] == 0 && trips <= most) {
        hetad_add_steps(0, trips, &turned);
    } else {
        hetad_add_range(now, 0, trips, spare, most, request[6], &turned);
    }
    *actions = hetad_actions;
    return hetad_action_count;
}
