// The race detector: what each cell of memory has seen in this launch, and whether the next access is ordered after it.
// Threads of a block are ordered by its barriers, which divide its time into phases; lanes of a warp by __syncwarp too,
// which vector clocks follow; blocks by the end of the launch, or by a __threadfence before an atomic.
// Source: C. Flanagan, S. N. Freund, FastTrack: Efficient and Precise Dynamic Race Detection, PLDI 2009.
enum { HETAD_RACE_PRIVATE = 64, HETAD_RACE_START = 32 };

struct hetad_race_access {
    int site, kind;
    unsigned block, thread;
};

// What Python reads: two accesses, of which the second met the first.
struct hetad_race_found {
    struct hetad_race_access accesses[2];
    dim3 grid, block;
    const char *kernel;
    int shared;  // whether the memory is a block's own
} hetad_race_found;

static struct {
    int thread;  // that runs; -1 if none does
    const char *stack;
    size_t stack_bytes;
    uint32_t launch, block, phase;
    uint64_t now;
    uint64_t *published;  // by block: when it last did an atomic after a fence
    size_t published_room;
    int fenced, acquired;  // whether the block has, and whether it has done an atomic
    uint32_t clocks[1024][32];
    struct { const char *start; size_t bytes; } privates[HETAD_RACE_PRIVATE];
    int private_count;
} hetad_races = {.thread = -1, .now = 1};

// Python calls this before each call.
void hetad_race_begin(size_t limit)
{
    hetad_races.thread = -1;
    hetad_race_cells.work = 0;
    hetad_race_cells.limit = limit;
}

// --- what fibers tell ---

// The memory that each block has for itself, though it lies where another's did.
static void hetad_race_private(const void *p, size_t bytes)
{
    for (int i = 0; i < hetad_races.private_count; ++i) {
        if (hetad_races.privates[i].start == p) {
            return;
        }
    }
    if (hetad_races.private_count == HETAD_RACE_PRIVATE) {
        hetad_fail("the race detector knows no more than 64 pieces of shared memory");
    }
    hetad_races.privates[hetad_races.private_count].start = p;
    hetad_races.privates[hetad_races.private_count++].bytes = bytes;
}

static void hetad_race_launch(const char *kernel, dim3 grid, dim3 block)
{
    const size_t blocks = (size_t)grid.x * grid.y * grid.z;
    hetad_race_forget();  // the end of a launch orders everything
    hetad_race_found.kernel = kernel;
    hetad_race_found.grid = grid;
    hetad_race_found.block = block;
    ++hetad_races.launch;
    hetad_races.private_count = 0;
    if (blocks > hetad_races.published_room) {
        free(hetad_races.published);
        hetad_races.published = NULL;
        hetad_races.published_room = 0;
        hetad_races.published = hetad_race_memory(blocks * sizeof *hetad_races.published);
        hetad_races.published_room = blocks;
    }
    memset(hetad_races.published, 0, blocks * sizeof *hetad_races.published);
}

static void hetad_race_block(size_t block, size_t threads)
{
    hetad_race_work(threads * HETAD_RACE_START);
    hetad_races.block = (uint32_t)block;
    hetad_races.phase = 0;
    hetad_races.fenced = hetad_races.acquired = 0;
    memset(hetad_races.clocks, 0, threads * sizeof *hetad_races.clocks);
    for (size_t t = 0; t < threads; ++t) {
        hetad_races.clocks[t][t % 32] = 1;
    }
}

static void hetad_race_thread(long thread, const void *stack, size_t bytes)
{
    hetad_races.thread = (int)thread;
    hetad_races.stack = stack;
    hetad_races.stack_bytes = bytes;
}

static void hetad_race_barrier(size_t threads)
{
    hetad_race_work(threads * HETAD_RACE_START);
    ++hetad_races.phase;
}

// Lanes of a warp wait for each other and see what they have written.
static void hetad_race_meet(size_t first, unsigned group)
{
    uint32_t joined[32] = {0};
    for (int lane = 0; lane < 32; ++lane) {
        for (int other = 0; group >> lane & 1 && other < 32; ++other) {
            const uint32_t clock = hetad_races.clocks[first + lane][other];
            joined[other] = clock > joined[other] ? clock : joined[other];
        }
    }
    for (int lane = 0; lane < 32; ++lane) {
        if (group >> lane & 1) {
            memcpy(hetad_races.clocks[first + lane], joined, sizeof joined);
            ++hetad_races.clocks[first + lane][lane];
        }
    }
}

static inline void hetad_race_fence(void)
{
    hetad_races.fenced = 1;
}

// --- one access ---

static int hetad_race_is_private(const void *p)
{
    for (int i = 0; i < hetad_races.private_count; ++i) {
        if ((size_t)((const char *)p - hetad_races.privates[i].start) < hetad_races.privates[i].bytes) {
            return 1;
        }
    }
    return 0;
}

static int hetad_race_published(unsigned block, uint64_t when)
{
    return hetad_races.acquired && hetad_races.published[block] >= when;
}

// Lanes among `mask`, which did something when their clocks stood at `clock`, that the running thread has not met since.
static uint32_t hetad_race_unordered(uint32_t mask, uint32_t clock)
{
    const uint32_t *seen = hetad_races.clocks[hetad_races.thread];
    uint32_t found = 0;
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        found |= (uint32_t)(seen[lane] < clock) << lane;
    }
    return found;
}

static struct hetad_race_access hetad_race_any(const struct hetad_accesses *a)
{
    struct hetad_race_access found = {a->site - 1, 0, a->block, a->thread};
    for (int i = 0; i < HETAD_RACE_LANES; ++i) {
        if (a->lanes[i].mask != 0) {
            found.site = a->lanes[i].site;
            found.thread = a->warp * 32u + (unsigned)__builtin_ctz(a->lanes[i].mask);
        }
    }
    return found;
}

// Whether one of the accesses is not ordered before one by the running thread now; which, in `found`.
static int hetad_race_meets(
    const struct hetad_accesses *a, const void *p, int in_step, struct hetad_race_access *found)
{
    const unsigned warp = (unsigned)hetad_races.thread / 32;
    if (a->launch != hetad_races.launch) {
        return 0;
    }
    if (a->block != hetad_races.block) {
        *found = hetad_race_any(a);
        if (!hetad_race_published(a->block, a->when) && !hetad_race_is_private(p)) {
            return 1;
        }
    } else if (a->phase == hetad_races.phase) {
        if (a->warp != warp) {
            *found = hetad_race_any(a);
            return 1;
        }
        if (a->site != 0) {
            *found = (struct hetad_race_access){a->site - 1, 0, a->block, a->thread};
            return 1;
        }
        for (int i = 0; i < HETAD_RACE_LANES && !in_step; ++i) {
            const uint32_t lanes = hetad_race_unordered(a->lanes[i].mask, a->lanes[i].clock);
            if (lanes != 0) {
                const unsigned thread = warp * 32 + (unsigned)__builtin_ctz(lanes);
                *found = (struct hetad_race_access){a->lanes[i].site, 0, a->block, thread};
                return 1;
            }
        }
    }
    *found = (struct hetad_race_access){a->older_site - 1, 0, a->older_block, a->older_thread};
    return a->older_site != 0 && a->older_block != hetad_races.block
        && !hetad_race_published(a->older_block, a->older_when) && !hetad_race_is_private(p);
}

// Whether the running thread has itself stored what the cell holds, since it last met others.
static int hetad_race_stored(const struct hetad_accesses *a)
{
    const unsigned thread = (unsigned)hetad_races.thread;
    if (a->launch != hetad_races.launch || a->block != hetad_races.block || a->phase != hetad_races.phase) {
        return 0;
    }
    for (int i = 0; i < HETAD_RACE_LANES && a->warp == thread / 32; ++i) {
        if (a->lanes[i].mask >> thread % 32 & 1 && a->lanes[i].clock == hetad_races.clocks[thread][thread % 32]) {
            return 1;
        }
    }
    return a->members != NULL && a->members[thread / 32] >> thread % 32 & 1;
}

static void hetad_race_start(struct hetad_accesses *a)
{
    const struct hetad_race_access last = hetad_race_any(a);
    if (a->launch != hetad_races.launch) {
        a->older_site = 0;
    } else if (a->block != hetad_races.block
               && (a->older_site == 0 || hetad_race_published(a->older_block, a->older_when))) {
        a->older_site = last.site + 1;
        a->older_block = last.block;
        a->older_thread = (uint16_t)last.thread;
        a->older_when = a->when;
    }
    a->launch = hetad_races.launch;
    a->block = hetad_races.block;
    a->phase = hetad_races.phase;
    a->warp = (uint16_t)(hetad_races.thread / 32);
    a->site = 0;
    memset(a->lanes, 0, sizeof a->lanes);
    free(a->members);
    a->members = NULL;
}

static void hetad_race_add_lane(struct hetad_accesses *a, int site)
{
    const unsigned lane = (unsigned)hetad_races.thread % 32;
    const uint32_t clock = hetad_races.clocks[hetad_races.thread][lane];
    int place = HETAD_RACE_LANES - 1;
    for (int i = HETAD_RACE_LANES; i-- > 0;) {
        a->lanes[i].mask = hetad_race_unordered(a->lanes[i].mask, a->lanes[i].clock);
        if (a->lanes[i].mask == 0) {
            place = i;
        }
    }
    for (int i = 0; i < HETAD_RACE_LANES; ++i) {
        if (a->lanes[i].mask != 0 && a->lanes[i].clock == clock && a->lanes[i].site == site) {
            place = i;
        }
    }
    if (a->lanes[place].mask == 0 || clock < a->lanes[place].clock) {
        a->lanes[place].clock = clock;  // with several, the earliest: it is taken to be ordered too early, not too late
    }
    a->lanes[place].site = site;
    a->lanes[place].mask |= 1u << lane;
}

static void hetad_race_add(struct hetad_accesses *a, int kind, int site)
{
    const unsigned thread = (unsigned)hetad_races.thread;
    if (a->launch != hetad_races.launch || a->block != hetad_races.block || a->phase != hetad_races.phase) {
        hetad_race_start(a);
    }
    a->when = hetad_races.now;
    if (a->warp == thread / 32) {
        hetad_race_add_lane(a, site);
    } else if (a->site == 0) {
        a->site = site + 1;
        a->thread = (uint16_t)thread;
        if (kind == HETAD_WRITE) {
            a->members = hetad_race_memory(32 * sizeof *a->members);
            for (int i = 0; i < HETAD_RACE_LANES; ++i) {
                a->members[a->warp] |= a->lanes[i].mask;
            }
        }
    }
    if (a->members != NULL) {
        a->members[thread / 32] |= 1u << thread % 32;
    }
}

static void hetad_race_report(struct hetad_race_access first, int kind, int site, const void *p)
{
    hetad_race_found.accesses[0] = first;
    hetad_race_found.accesses[1] = (struct hetad_race_access){site, kind, hetad_races.block, (unsigned)hetad_races.thread};
    hetad_race_found.shared = hetad_race_is_private(p);
    hetad_races.thread = -1;
    hetad_stop(HETAD_RACE);
}

// `same`: a store of what is there already, which may meet others of the same value.
static void hetad_race_cell(struct hetad_race_page *page, size_t cell, const void *p, int kind, int site, int in_step, int same)
{
    struct hetad_race_access first;
    const int stored = kind == HETAD_READ && page->kinds[HETAD_WRITE] != NULL
        && hetad_race_stored(&page->kinds[HETAD_WRITE][cell]);
    for (int other = 0; other < 3; ++other) {
        const int harmless = kind == other ? kind != HETAD_WRITE || same : other == HETAD_WRITE && stored;
        if (page->kinds[other] != NULL && !harmless
            && hetad_race_meets(&page->kinds[other][cell], p, in_step, &first)) {
            first.kind = other;
            hetad_race_report(first, kind, site, p);
        }
    }
    if (!stored) {
        hetad_race_add(&hetad_race_kind(page, kind)[cell], kind, site);
    }
}

static void hetad_race_note(const volatile void *at, size_t size, int site, int kind, int in_step, const void *value)
{
    const char *p = (const char *)at;
    if (hetad_races.thread < 0 || (size_t)(p - hetad_races.stack) < hetad_races.stack_bytes) {
        return;  // the host's, or the thread's own
    }
    const size_t together = (uintptr_t)p | size | 8, grain = together & -together;
    for (size_t done = 0; done < size; done += grain) {
        const uintptr_t address = (uintptr_t)p + done;
        struct hetad_race_page *page = hetad_race_page(address / HETAD_RACE_PAGE, grain);
        const int same = value != NULL && memcmp(p + done, (const char *)value + done, grain) == 0;
        for (size_t part = 0; part < grain; part += page->grain) {
            const size_t cell = (address + part) % HETAD_RACE_PAGE / page->grain;
            hetad_race_cell(page, cell, p + done, kind, site, in_step, same);
        }
        hetad_race_work(1);
    }
    ++hetad_races.now;
}

// --- what kernels call ---

static inline void *hetad_race_read(const volatile void *p, size_t size, int site, int in_step)
{
    hetad_race_note(p, size, site, HETAD_READ, in_step, NULL);
    return (void *)p;
}

static inline void *hetad_race_store(volatile void *p, const void *value, size_t size, int site, int in_step)
{
    hetad_race_note(p, size, site, HETAD_WRITE, in_step, value);
    return memcpy((void *)p, value, size);
}

// By a function that is not looked into.
static inline void *hetad_race_written(volatile void *p, size_t size, int site, int in_step)
{
    hetad_race_note(p, size, site, HETAD_WRITE, in_step, NULL);
    return (void *)p;
}

static inline void *hetad_race_atomic(volatile void *p, size_t size, int site, int in_step)
{
    hetad_race_note(p, size, site, HETAD_ATOMIC, in_step, NULL);
    if (hetad_races.thread >= 0) {
        hetad_races.acquired = 1;
        if (hetad_races.fenced) {
            hetad_races.published[hetad_races.block] = hetad_races.now;
        }
    }
    return (void *)p;
}
