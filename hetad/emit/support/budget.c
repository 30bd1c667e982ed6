// What is saved at a time, in all and of it in host memory on purpose; and what to do about it: save, skip, or count.
enum { HETAD_SAVES, HETAD_SKIPS, HETAD_COUNTS };

struct hetad_budget {
    int mode;                 // one of the above
    int keeps;                // restoring leaves what is saved where it is
    int level;                // where snapshots of device memory go: 0 to the device, 1 to host memory
    size_t limit[2];          // how many bytes may be saved at a level; limit[0] = 0: as many as fit
    size_t held[2];           // saved now
    size_t counted, least;    // by HETAD_COUNTS: of all that is saved, and where loops in it are run by schedules
    size_t beside;            // likewise, outside such loops, once the first of them
    int met_loop;             // has begun
    size_t spare;             // of limit[0], what recording steps leaves for what is saved after them
    void (*full)(size_t);     // what to do where the limit does not allow for so many bytes; NULL: it is an error
};

static struct hetad_budget hetad_budget;

// Of a call, which may be for several sets of arguments: what is saved at most at a time, at each level; and of loops that
// are run by schedules, their steps, and further runs of them.
static struct hetad_account {
    size_t peak[2], steps, repeated;
} hetad_account;

static inline int hetad_exceeds(size_t bytes)
{
    const int level = hetad_budget.level;
    const size_t room = hetad_budget.held[level] + bytes + (level == 0 ? hetad_budget.spare : 0);
    return room > hetad_budget.limit[level] && (level > 0 || hetad_budget.limit[0] > 0);
}

// Whether nothing is saved now, be it that there is no room for these bytes.
static inline int hetad_is_full(size_t bytes)
{
    if (hetad_budget.mode == HETAD_SAVES && hetad_budget.full != NULL && hetad_exceeds(bytes)) {
        hetad_budget.full(bytes);
    }
    return hetad_budget.mode != HETAD_SAVES;
}

// Whether what is to be saved is only counted, or not even that.
static inline int hetad_skips(size_t bytes)
{
    if (!hetad_is_full(bytes)) {
        return 0;
    }
    if (hetad_budget.mode == HETAD_COUNTS) {
        hetad_budget.counted += bytes;
        hetad_budget.least += bytes;
        hetad_budget.beside += bytes;
    }
    return 1;
}

static void hetad_over_limit(size_t bytes)
{
    char text[400];
    snprintf(text, sizeof text,
             "the memory limit of %zu bytes is reached: %zu bytes are saved for the reverse sweep, and the next value "
             "has %zu more", hetad_budget.limit[hetad_budget.level], hetad_budget.held[hetad_budget.level], bytes);
    hetad_fail(text);
}

static inline void hetad_hold(size_t bytes)
{
    const int level = hetad_budget.level;
    const size_t held = hetad_budget.held[level] + bytes;
    if (held > hetad_budget.limit[level] && (level > 0 || hetad_budget.limit[0] > 0)) {
        hetad_over_limit(bytes);
    }
    hetad_budget.held[level] = held;
    if (held > hetad_account.peak[level]) {
        hetad_account.peak[level] = held;
    }
}

static inline void hetad_let_go(size_t bytes)
{
    hetad_budget.held[hetad_budget.level] -= bytes;
}

// How many bytes all buffers on the device may have beside a new one: those too that wait for another snapshot.
static size_t hetad_most_beside(size_t bytes)
{
    const size_t limit = hetad_budget.limit[0];
    return limit == 0 ? (size_t)-1 : limit < bytes ? 0 : limit - bytes;
}

static void hetad_reset_budget(void)
{
    memset(&hetad_budget, 0, sizeof hetad_budget);
}
