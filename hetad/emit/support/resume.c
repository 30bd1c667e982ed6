// Time loops that another process can go on with.  Between steps, now and then, what that would need is written: the
// checkpoints that have no file yet, an image of memory and variables, and the position.  A process that finds a position
// runs what is in front of the loop, and goes on from there: in the forward sweep, or through it from the last image to its
// end, and in the reverse sweep with the adjoints it had.  Where there are several loops, this is done with each that has
// been begun, and one that has been reversed ends at once, with the image of its end.
static struct {
    int marked;                     // the loop that is opened next is one that can be gone on with
    int opened;                     // how many have been
    struct hetad_position written;  // the last one, from this process or another
    struct hetad_position next;     // as it will be written
    int awaits;                     // the loop in which that was is to be taken up
    struct hetad_loop loop;         // how ranks meet
    int64_t last, wait;             // nanoseconds: when files were written last, and how long to wait then
    uint64_t passed, look;          // how often since then there was time between steps; when to look at the clock
} hetad_resume;

static double hetad_resume_every;   // seconds

// In which directory files are, and how many seconds apart they are written at least; NULL: none are.
void hetad_resume_in(const char *directory, double every)
{
    hetad_resume_directory = directory;
    hetad_resume_every = every;
}

static void hetad_reset_resume(void)
{
    hetad_forget_position(&hetad_resume.written);
    hetad_forget_position(&hetad_resume.next);
    hetad_forget_held();
    memset(&hetad_resume, 0, sizeof hetad_resume);
    hetad_variable_count = hetad_serial = 0;
    hetad_in_steps = 0;
}

// In front of a loop, in both sweeps: its variables follow.
static void hetad_resumes(void)
{
    if (hetad_resume_directory != NULL) {
        hetad_take_first_contents();
    }
    hetad_resume.marked = 1;
    hetad_variable_count = 0;
}

// Of the loop that is opened, or opened again.
static void hetad_take_mark(struct hetad_loop *loop)
{
    if (hetad_resume.marked && loop->resumes == 0) {
        loop->resumes = ++hetad_resume.opened;
    }
    hetad_in_steps += hetad_resume.marked;
    hetad_resume.marked = 0;
}

static void hetad_leave_steps(const struct hetad_loop *loop)
{
    hetad_in_steps -= loop->resumes > 0;
}

static struct hetad_kept_loop *hetad_kept_of(const struct hetad_loop *loop, struct hetad_position *p)
{
    if (loop->resumes > HETAD_MOST_KEPT_LOOPS) {
        hetad_fail("resume: more than 16 time loops");
    }
    return &p->loops[loop->resumes - 1];
}

// --- going on

static void hetad_take_up(struct hetad_loop *loop, const struct hetad_kept_loop *k)
{
    if (loop->trips == HETAD_UNKNOWN) {
        hetad_set_trips(loop, (size_t)k->trips);
        loop->again = 1;
    }
    if (k->line != (uint64_t)loop->line || k->trips != loop->trips) {
        hetad_fail("resume: the files are not those of this call");
    }
    char name[40];
    loop->state = (size_t)k->state;
    loop->later = (size_t)k->later;
    loop->spare = (size_t)k->spare;
    loop->most = (size_t)k->most;
    loop->first_level = (int)k->first_level;
    loop->needs = loop->planned = k->needs;
    loop->stage = HETAD_SCHEDULED;
    hetad_budget.spare = loop->spare;
    // Of the reverse sweep only the first checkpoint has to be there now: arguments are as it says if the call fails.
    const int turned = k->where >= HETAD_IN_REVERSE;
    for (uint64_t i = k->count; i-- > (turned && k->count > 0 ? k->count - 1 : 0);) {
        hetad_read_checkpoint(loop, &k->kept[i]);
    }
    hetad_file_name(name, "image", k->images[0]);
    if (k->images[0] > 0) {
        hetad_read_image(name);
    }
    loop->now = loop->to = k->images[0] > 0 ? (size_t)k->now : 0;
    if (k->where != HETAD_IN_FORWARD) {
        loop->mode = HETAD_SKIPS;
        loop->to = loop->trips;
    } else {
        hetad_account = hetad_resume.written.account;
        hetad_resume.awaits = 0;
    }
}

static void hetad_take_up_reverse(struct hetad_loop *loop, const struct hetad_kept_loop *k)
{
    char name[40];
    const int over = k->where == HETAD_PAST_REVERSE;
    for (uint64_t i = k->count > 0 && !over ? k->count - 1 : 0; i-- > 0;) {
        hetad_read_checkpoint(loop, &k->kept[i]);
    }
    hetad_file_name(name, "image", k->images[1]);
    hetad_read_image(name);
    loop->needs = loop->planned = k->needs;
    loop->most = (size_t)k->most;
    loop->now = loop->to = loop->left = loop->recorded = over ? 0 : (size_t)k->left;
    if (!over) {
        hetad_account = hetad_resume.written.account;
        hetad_resume.awaits = 0;
    }
}

// --- writing

static int64_t hetad_nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static uint64_t hetad_written_image(struct hetad_position *p)
{
    char name[40];
    const uint64_t number = p->next_file++;
    hetad_file_name(name, "image", number);
    hetad_write_image(name);
    return number;
}

// Loops whose forward sweep is over: those that came later may have made them give up checkpoints.
static void hetad_keep_closed(struct hetad_position *p)
{
    for (size_t end = hetad_last_closed; end > 0;) {
        const struct hetad_loop loop = hetad_closed_at(end);
        if (loop.resumes && loop.stage == HETAD_SCHEDULED) {
            struct hetad_kept_loop *const k = hetad_kept_of(&loop, p);
            hetad_keep_checkpoints(&loop, k, &p->next_file);
            k->where = HETAD_PAST_FORWARD;
        }
        end = loop.closed;
    }
}

static void hetad_describe(const struct hetad_loop *loop, struct hetad_kept_loop *k)
{
    k->line = (uint64_t)loop->line;
    k->trips = loop->trips;
    k->left = loop->left;
    k->state = loop->state;
    k->later = loop->later;
    k->spare = loop->spare;
    k->most = loop->most;
    k->first_level = (uint64_t)loop->first_level;
    k->needs = loop->needs;
}

static void hetad_write_all(struct hetad_loop *loop)
{
    const int64_t began = hetad_nanoseconds();
    struct hetad_position *const p = &hetad_resume.next;
    struct hetad_kept_loop *const k = hetad_kept_of(loop, p);
    ++p->generation;
    p->account = hetad_account;
    hetad_describe(loop, k);
    k->where = loop->turned ? HETAD_IN_REVERSE : HETAD_IN_FORWARD;
    k->now = loop->turned ? k->now : loop->now;
    hetad_keep_checkpoints(loop, k, &p->next_file);
    hetad_keep_closed(p);
    k->images[loop->turned] = hetad_written_image(p);
    hetad_write_position(p);
    const int64_t took = (int64_t)hetad_agreed(loop, (size_t)(hetad_nanoseconds() - began), 1);  // all have written theirs
    hetad_remove_old(&hetad_resume.written, p);
    hetad_copy_position(&hetad_resume.written, p);
    // Writing takes an eleventh of the time at most.
    const int64_t every = (int64_t)(hetad_resume_every * 1e9);
    hetad_resume.wait = every > 0 && every < 10 * took ? 10 * took : every;
}

// The forward sweep of a loop is over, or the loop has been reversed: one for which no image was written is short enough
// to be run as a whole again.
static void hetad_end_sweep(struct hetad_loop *loop)
{
    struct hetad_kept_loop *const k = hetad_kept_of(loop, &hetad_resume.next);
    if (!loop->turned) {
        hetad_describe(loop, k);
        return;
    }
    if (k->images[0] == 0 && k->images[1] == 0) {
        free(k->kept);
        memset(k, 0, sizeof *k);
    } else if (loop->resumes > 1 && k->where != HETAD_PAST_REVERSE) {
        k->images[1] = hetad_written_image(&hetad_resume.next);
        k->where = HETAD_PAST_REVERSE;
        if (k->count > 0) {  // the first one stays
            k->kept[0] = k->kept[k->count - 1];
            k->count = 1;
        }
    }
}

static void hetad_restart_clock(void)
{
    hetad_resume.last = hetad_nanoseconds();
    hetad_resume.passed = 0;
    hetad_resume.look = 1;
}

// Ranks agree on it, not after each step: half as many later as there is likely to be time for.
static int hetad_is_time(const struct hetad_loop *loop)
{
    if (++hetad_resume.passed < hetad_resume.look) {
        return 0;
    }
    const int64_t passed = (int64_t)hetad_agreed(loop, (size_t)(hetad_nanoseconds() - hetad_resume.last), 1);
    if (passed >= hetad_resume.wait) {
        return 1;
    }
    const double each = (double)(passed + 1) / (double)hetad_resume.passed;
    const double more = (double)(hetad_resume.wait - passed) / each / 2;
    const double most = (double)hetad_resume.passed;
    hetad_resume.look = hetad_resume.passed + 1 + (uint64_t)(more < most ? more : most);
    return 0;
}

// The first time that such a loop is opened: is there anything to go on from?
static void hetad_begin_resume(const struct hetad_loop *loop)
{
    hetad_resume.loop = *loop;
    hetad_resume.wait = (int64_t)(hetad_resume_every * 1e9);
    hetad_resume.awaits = hetad_find_position(loop, &hetad_resume.written);
    hetad_copy_position(&hetad_resume.next, &hetad_resume.written);
    hetad_resume.next.next_file += hetad_resume.next.next_file == 0;
    hetad_restart_clock();
}

static void hetad_between_steps(struct hetad_loop *loop)
{
    if (!loop->resumes || hetad_resume_directory == NULL) {
        return;
    }
    if (loop->stage == HETAD_OPENED && loop->resumes == 1) {
        hetad_begin_resume(loop);
    }
    const struct hetad_kept_loop *const k = hetad_kept_of(loop, &hetad_resume.written);
    const int taken = hetad_resume.awaits && loop->stage == (loop->turned ? HETAD_SCHEDULED : HETAD_OPENED);
    if (taken && !loop->turned && k->where != HETAD_NOT_BEGUN) {
        hetad_take_up(loop, k);
        hetad_restart_clock();
    } else if (taken && loop->turned && k->where >= HETAD_IN_REVERSE && loop->left == loop->trips) {
        hetad_take_up_reverse(loop, k);
        hetad_restart_clock();
    } else if (loop->stage == HETAD_SCHEDULED && !hetad_resume.awaits) {
        if (loop->left == 0 || (!loop->turned && loop->now == loop->trips)) {
            hetad_end_sweep(loop);
        } else if (hetad_is_time(loop)) {
            hetad_write_all(loop);
            hetad_restart_clock();
        }
    }
}

// At the end of the call: from here on it need not be gone on with, on any rank.
static void hetad_end_resume(void)
{
    if (hetad_resume_directory != NULL && hetad_resume.loop.resumes) {
        hetad_agreed(&hetad_resume.loop, 0, 1);
        hetad_remove_file("position-0");
        hetad_remove_file("position-1");
        hetad_sync_directory();
    }
}
