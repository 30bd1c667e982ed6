// What is known of each time loop that another process can go on with, in files: a position is written last, and names the
// files that count.
struct hetad_kept_checkpoint {
    uint64_t file, step, level;
};

enum { HETAD_NOT_BEGUN, HETAD_IN_FORWARD, HETAD_PAST_FORWARD, HETAD_IN_REVERSE, HETAD_PAST_REVERSE };

struct hetad_kept_loop {
    uint64_t where;               // one of the above
    uint64_t line, trips;
    uint64_t images[2], now;      // files of the last images of both sweeps, 0 if there is none; the step of the first
    uint64_t left;                // how many steps have to be reversed
    uint64_t state, later, spare, most, first_level;
    struct hetad_needs needs;
    uint64_t count;               // checkpoints, last to first
    struct hetad_kept_checkpoint *kept;
};

enum { HETAD_MOST_KEPT_LOOPS = 16 };

struct hetad_position {
    uint64_t generation;          // how many have been written
    uint64_t next_file;           // the number of the next file
    struct hetad_account account;
    struct hetad_kept_loop loops[HETAD_MOST_KEPT_LOOPS];
};

static void hetad_file_name(char name[40], const char *kind, uint64_t number)
{
    snprintf(name, 40, "%s-%llu", kind, (unsigned long long)number);
}

// --- checkpoints

// Where on the tape, between two places, records of snapshots are, last to first; how many.
static size_t hetad_snapshots_between(size_t from, size_t to, size_t **found)
{
    size_t count = 0, room = 0;
    *found = NULL;
    for (size_t at = hetad_last_snapshot; at > from;) {
        struct hetad_snapshot s;
        memcpy(&s, hetad_tape + at - 1, sizeof s);
        if (at <= to) {
            if (count == room) {
                room = 2 * room + 16;
                *found = (size_t *)hetad_larger(*found, room * sizeof(size_t));
            }
            (*found)[count++] = at - 1;
        }
        at = s.before;
    }
    return count;
}

struct hetad_kept_snapshot {
    uint64_t at, content;  // behind the start of the checkpoint; bytes of what is not on the tape
    struct hetad_name start;
};

static void hetad_write_checkpoint(const struct hetad_checkpoint *c, size_t end, uint64_t number)
{
    char name[40];
    hetad_file_name(name, "checkpoint", number);
    size_t *found;
    const size_t from = c->before.tape, count = hetad_snapshots_between(from, end, &found);
    const uint64_t sizes[2] = {end - sizeof *c - from, count};
    FILE *file = hetad_new_file(name);
    hetad_write(file, sizes, sizeof sizes, name);
    hetad_write(file, hetad_tape + from, sizes[0], name);
    for (size_t i = count; i-- > 0;) {
        struct hetad_snapshot s;
        memcpy(&s, hetad_tape + found[i], sizeof s);
        const struct hetad_kept_snapshot kept = {found[i] - from, s.on_device == 1 ? s.bytes : 0,
                                                 hetad_name_of(s.start)};
        const struct hetad_allocation *a = hetad_find(s.start);
        hetad_write(file, &kept, sizeof kept, name);
        if (kept.content > 0) {
            hetad_write_content(file, a, (const char *)hetad_buffers[s.buffer].data, hetad_place_in(a, s.start), s.bytes,
                                1, name);
        } else {
            const struct hetad_transfer t = {file, name, a, hetad_tape + found[i] - s.bytes, hetad_place_in(a, s.start),
                                             s.bytes, 1};
            hetad_transfer(&t);
        }
    }
    free(found);
    hetad_file_is_whole(file, name);
}

// Onto the tape, as it was.
static void hetad_read_checkpoint(struct hetad_loop *loop, const struct hetad_kept_checkpoint *kept)
{
    char name[40];
    hetad_file_name(name, "checkpoint", kept->file);
    loop->now = loop->to = (size_t)kept->step;
    hetad_save_state(loop, (int)kept->level);
    FILE *file = hetad_open_file(name);
    uint64_t sizes[2];
    hetad_read(file, sizes, sizeof sizes, name);
    const size_t from = hetad_tape_used;
    if (sizes[0] > hetad_tape_room - hetad_tape_used) {
        hetad_tape_grow((size_t)sizes[0]);
    }
    hetad_hold((size_t)sizes[0]);
    hetad_read(file, hetad_tape + from, (size_t)sizes[0], name);
    hetad_tape_used += (size_t)sizes[0];
    for (uint64_t i = 0; i < sizes[1]; ++i) {
        struct hetad_kept_snapshot snapshot;
        struct hetad_snapshot s;
        hetad_read(file, &snapshot, sizeof snapshot, name);
        memcpy(&s, hetad_tape + from + snapshot.at, sizeof s);
        s.start = (char *)hetad_named(snapshot.start);
        s.before = hetad_last_snapshot;
        const struct hetad_allocation *a = hetad_find(s.start);
        if (snapshot.content > 0) {
            s.buffer = hetad_take_buffer(s.bytes);
            hetad_read_content(file, a, (char *)hetad_buffers[s.buffer].data, hetad_place_in(a, s.start), s.bytes, 1,
                               name);
        } else {
            const struct hetad_transfer t = {file, name, a, hetad_tape + from + snapshot.at - s.bytes,
                                             hetad_place_in(a, s.start), s.bytes, 0};
            hetad_transfer(&t);
        }
        memcpy(hetad_tape + from + snapshot.at, &s, sizeof s);
        hetad_last_snapshot = from + (size_t)snapshot.at + 1;
    }
    fclose(file);
    loop->saved.file = (size_t)kept->file;
    hetad_settle(loop);
}

// All that the loop has; those without a file get one.
static void hetad_keep_checkpoints(const struct hetad_loop *loop, struct hetad_kept_loop *k, uint64_t *next_file)
{
    free(k->kept);
    k->kept = (struct hetad_kept_checkpoint *)hetad_larger(NULL, (loop->checkpoints + 1) * sizeof *k->kept);
    k->count = 0;
    size_t end = loop->last;
    for (size_t i = 0; i < loop->checkpoints; ++i) {
        struct hetad_checkpoint c;
        memcpy(&c, hetad_tape + end - sizeof c, sizeof c);
        if (c.step < loop->left && c.file == 0) {
            c.file = (size_t)(*next_file)++;
            hetad_write_checkpoint(&c, end, c.file);
            memcpy(hetad_tape + end - sizeof c, &c, sizeof c);
        }
        if (c.step < loop->left) {
            const struct hetad_kept_checkpoint kept = {c.file, c.step, (uint64_t)c.level};
            k->kept[k->count++] = kept;
        }
        end = c.below;
    }
}

// --- positions

static void hetad_forget_position(struct hetad_position *p)
{
    for (int i = 0; i < HETAD_MOST_KEPT_LOOPS; ++i) {
        free(p->loops[i].kept);
    }
    memset(p, 0, sizeof *p);
}

// As it is, with checkpoints of its own.
static void hetad_copy_position(struct hetad_position *to, const struct hetad_position *from)
{
    hetad_forget_position(to);
    *to = *from;
    for (int i = 0; i < HETAD_MOST_KEPT_LOOPS; ++i) {
        const size_t bytes = (size_t)from->loops[i].count * sizeof *from->loops[i].kept;
        to->loops[i].kept = bytes > 0 ? (struct hetad_kept_checkpoint *)hetad_larger(NULL, bytes) : NULL;
        if (bytes > 0) {
            memcpy(to->loops[i].kept, from->loops[i].kept, bytes);
        }
    }
}

static uint64_t hetad_checksum(const void *start, size_t bytes, uint64_t sum)
{
    for (size_t i = 0; i < bytes; ++i) {
        sum = (sum ^ ((const unsigned char *)start)[i]) * 1099511628211u;
    }
    return sum;
}

static uint64_t hetad_checksum_of(const struct hetad_position *p)
{
    struct hetad_position numbers = *p;
    uint64_t sum = 14695981039346656037u;
    for (int i = 0; i < HETAD_MOST_KEPT_LOOPS; ++i) {
        numbers.loops[i].kept = NULL;
        sum = hetad_checksum(p->loops[i].kept, (size_t)p->loops[i].count * sizeof *p->loops[i].kept, sum);
    }
    return hetad_checksum(&numbers, sizeof numbers, sum);
}

static void hetad_write_position(const struct hetad_position *p)
{
    char name[40];
    hetad_file_name(name, "position", p->generation % 2);
    const uint64_t sum = hetad_checksum_of(p);
    FILE *file = hetad_new_file(name);
    hetad_write(file, p, sizeof *p, name);
    for (int i = 0; i < HETAD_MOST_KEPT_LOOPS; ++i) {
        hetad_write(file, p->loops[i].kept, (size_t)p->loops[i].count * sizeof *p->loops[i].kept, name);
    }
    hetad_write(file, &sum, sizeof sum, name);
    hetad_sync_directory();  // the files it names first
    hetad_file_is_whole(file, name);
    hetad_sync_directory();
}

// 0 where there is none.
static int hetad_read_position(uint64_t which, struct hetad_position *p)
{
    char name[40], path[4096];
    uint64_t sum = 0;
    hetad_file_name(name, "position", which);
    hetad_path(path, name, "");
    memset(p, 0, sizeof *p);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return 0;
    }
    int whole = fread(p, sizeof *p, 1, file) == 1;
    for (int i = 0; i < HETAD_MOST_KEPT_LOOPS; ++i) {
        struct hetad_kept_loop *const k = &p->loops[i];
        k->kept = NULL;
        whole = whole && k->count < 1u << 30;
        if (whole && k->count > 0) {
            k->kept = (struct hetad_kept_checkpoint *)hetad_larger(NULL, (size_t)k->count * sizeof *k->kept);
            whole = fread(k->kept, sizeof *k->kept, (size_t)k->count, file) == k->count;
        }
    }
    whole = whole && fread(&sum, sizeof sum, 1, file) == 1 && sum == hetad_checksum_of(p);
    fclose(file);
    if (!whole) {
        char text[500];
        snprintf(text, sizeof text, "resume: '%s/%s' is damaged: remove that directory, to start anew",
                 hetad_resume_directory, name);
        hetad_fail(text);
    }
    return 1;
}

// The newest position that all ranks have; 0 if there is none.
static int hetad_find_position(const struct hetad_loop *loop, struct hetad_position *p)
{
    static struct hetad_position both[2];
    uint64_t newest = 0;
    for (int i = 0; i < 2; ++i) {
        const int there = hetad_read_position((uint64_t)i, &both[i]);
        newest = there && both[i].generation > newest ? both[i].generation : newest;
    }
    newest = hetad_agreed(loop, (size_t)newest, 0);
    for (int i = 0; i < 2; ++i) {
        if (newest > 0 && both[i].generation == newest) {
            hetad_copy_position(p, &both[i]);
        } else {
            char name[40];
            hetad_file_name(name, "position", (uint64_t)i);
            hetad_remove_file(name);
        }
        hetad_forget_position(&both[i]);
    }
    return newest > 0;
}

static int hetad_names_file(const struct hetad_position *p, uint64_t image, uint64_t checkpoint)
{
    for (int i = 0; i < HETAD_MOST_KEPT_LOOPS; ++i) {
        const struct hetad_kept_loop *const k = &p->loops[i];
        if (image > 0 && (k->images[0] == image || k->images[1] == image)) {
            return 1;
        }
        for (uint64_t j = 0; checkpoint > 0 && j < k->count; ++j) {
            if (k->kept[j].file == checkpoint) {
                return 1;
            }
        }
    }
    return 0;
}

// All ranks have a new position: the old one goes, and then the files that it alone names.
static void hetad_remove_old(const struct hetad_position *old, const struct hetad_position *now)
{
    char name[40];
    hetad_file_name(name, "position", old->generation % 2);
    if (old->generation > 0) {
        hetad_remove_file(name);
        hetad_sync_directory();
    }
    for (int i = 0; i < HETAD_MOST_KEPT_LOOPS; ++i) {
        const struct hetad_kept_loop *const k = &old->loops[i];
        for (int sweep = 0; sweep < 2; ++sweep) {
            hetad_file_name(name, "image", k->images[sweep]);
            if (k->images[sweep] > 0 && !hetad_names_file(now, k->images[sweep], 0)) {
                hetad_remove_file(name);
            }
        }
        for (uint64_t j = 0; j < k->count; ++j) {
            hetad_file_name(name, "checkpoint", k->kept[j].file);
            if (!hetad_names_file(now, 0, k->kept[j].file)) {
                hetad_remove_file(name);
            }
        }
    }
}
