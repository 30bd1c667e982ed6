// The memory that a checked program may reach: what it was given and what is allocated, sorted by address.  Whatever
// goes through a pointer stays within the piece that the pointer leads into.
#define HETAD_CHECKED
enum { HETAD_OUTSIDE = 6 };  // code of hetad_call
enum { HETAD_LOWEST = 1 << 16 };  // what lies below is no memory: it was computed from NULL

static struct {
    struct hetad_piece *pieces;
    size_t count, room, last, held;  // held: bytes that the program has freed and that are kept, so that uses are found
} hetad_memory;
static _Thread_local const char *hetad_stack;  // where that of the entry lies, or of a thread that runs blocks

// The launch that runs, if one does.
static struct {
    const char *kernel;
    dim3 grid, threads;
    int stopped;  // whether a thread has left its memory
} hetad_here;

// What Python reads.
struct hetad_outside {
    int site, reason;  // 0: outside of the piece, 1: no pointer, 2: freed, 3: no memory of the program
    ptrdiff_t offset;  // from the start of the piece
    size_t bytes;      // of the piece
    const char *kernel;
    dim3 grid, threads, block, thread;
} hetad_outside_found;

static _Thread_local struct hetad_extent hetad_dynamic_extent, hetad_arena_extent;  // of the block that runs (arena.c)
static _Thread_local void (*hetad_leave)(int code);                                // fail.c
// The block and the thread, where nothing else is called so: host code, and what a block does once.
static const unsigned hetad_bx, hetad_by, hetad_bz, hetad_tx, hetad_ty, hetad_tz;
static const dim3 blockIdx, threadIdx;

__attribute__((noreturn)) static void hetad_stop(int code);

// The number of pieces that start at or before p.
static size_t hetad_pieces_up_to(const char *p)
{
    size_t low = 0, high = hetad_memory.count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (hetad_memory.pieces[middle].start <= p) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// The piece that p leads into, or just past the end of.
static struct hetad_piece *hetad_piece_of(const void *pointer)
{
    const char *const p = (const char *)pointer;
    if (hetad_memory.last < hetad_memory.count) {
        struct hetad_piece *const last = &hetad_memory.pieces[hetad_memory.last];
        if (p >= last->start && p < last->start + last->bytes) {
            return last;
        }
    }
    const size_t rank = hetad_pieces_up_to(p);
    if (rank == 0 || p > hetad_memory.pieces[rank - 1].start + hetad_memory.pieces[rank - 1].bytes) {
        return NULL;
    }
    if (hetad_leave == NULL) {  // others have no place to keep it
        hetad_memory.last = rank - 1;
    }
    return &hetad_memory.pieces[rank - 1];
}

static void hetad_drop_piece(size_t position)
{
    --hetad_memory.count;
    memmove(hetad_memory.pieces + position, hetad_memory.pieces + position + 1,
            (hetad_memory.count - position) * sizeof *hetad_memory.pieces);
}

// Pieces that overlap become one if they were given; else the new one is in place of the old.
static void hetad_add_piece(void *p, size_t bytes, int state)
{
    struct hetad_piece fresh = {(char *)p, bytes, state};
    size_t position = hetad_pieces_up_to(fresh.start);
    if (position > 0) {
        const struct hetad_piece before = hetad_memory.pieces[position - 1];
        position -= before.start == fresh.start || before.start + before.bytes > fresh.start;
    }
    while (position < hetad_memory.count) {
        const struct hetad_piece old = hetad_memory.pieces[position];
        if (old.start >= fresh.start + fresh.bytes && old.start != fresh.start) {
            break;
        }
        if (state == HETAD_GIVEN && old.state == HETAD_GIVEN) {
            char *const end = fresh.start + fresh.bytes, *const old_end = old.start + old.bytes;
            fresh.start = old.start < fresh.start ? old.start : fresh.start;
            fresh.bytes = (size_t)((old_end > end ? old_end : end) - fresh.start);
        }
        hetad_drop_piece(position);
    }
    if (hetad_memory.count == hetad_memory.room) {
        const size_t room = 2 * hetad_memory.room + 64;
        void *const moved = realloc(hetad_memory.pieces, room * sizeof *hetad_memory.pieces);
        if (moved == NULL) {
            return;
        }
        hetad_memory.pieces = (struct hetad_piece *)moved;
        hetad_memory.room = room;
    }
    memmove(hetad_memory.pieces + position + 1, hetad_memory.pieces + position,
            (hetad_memory.count - position) * sizeof *hetad_memory.pieces);
    ++hetad_memory.count;
    hetad_memory.pieces[position] = fresh;
}

// Memory that is a little larger than what was asked for.
static void hetad_trim(void *p, size_t bytes)
{
    if (p != NULL) {
        hetad_add_piece(p, bytes, HETAD_ALLOCATED);
    }
}

static void *hetad_checked_malloc(size_t bytes)
{
    void *const p = malloc(bytes > 0 ? bytes : 1);
    hetad_trim(p, bytes);
    return p;
}

static inline void *hetad_checked_calloc(size_t count, size_t size)
{
    void *const p = calloc(count, size);
    hetad_trim(p, count * size);
    return p;
}

static inline void *hetad_checked_aligned(size_t alignment, size_t bytes)
{
    void *const p = aligned_alloc(alignment, bytes);
    hetad_trim(p, bytes);
    return p;
}

// Gives back what was freed, if that has become much.
static void hetad_give_back(size_t most)
{
    for (size_t i = 0; i < hetad_memory.count && hetad_memory.held > most;) {
        const struct hetad_piece piece = hetad_memory.pieces[i];
        if (piece.state == HETAD_FREED) {
            hetad_memory.held -= piece.bytes + 64;
            free(piece.start);
            hetad_drop_piece(i);
        } else {
            ++i;
        }
    }
}

static void hetad_checked_free(void *p)
{
    struct hetad_piece *const piece = p != NULL ? hetad_piece_of(p) : NULL;
    if (piece == NULL || piece->start != p || (piece->state != HETAD_ALLOCATED && piece->state != HETAD_SET_ASIDE)) {
        free(p);  // of a function of C that has allocated it
        return;
    }
    piece->state = HETAD_FREED;
    hetad_memory.held += piece->bytes + 64;
    if (hetad_memory.held > (size_t)32 << 20) {
        hetad_give_back((size_t)16 << 20);
    }
}

// What the derivative keeps of memory that the program frees.
static inline void hetad_mark_set_aside(void *p)
{
    struct hetad_piece *const piece = hetad_piece_of(p);
    if (piece != NULL && piece->start == p) {
        piece->state = HETAD_SET_ASIDE;
    }
}

// What a device has back: that is told until something else lies there.
static inline void hetad_mark_gone(void *p)
{
    struct hetad_piece *const piece = hetad_piece_of(p);
    if (piece != NULL && piece->start == p) {
        piece->state = HETAD_GONE;
    }
}

static int hetad_is_freed(const struct hetad_piece *piece)
{
    return piece != NULL && piece->state >= HETAD_FREED;
}

static inline void *hetad_checked_realloc(void *p, size_t bytes)
{
    struct hetad_piece *const piece = p != NULL ? hetad_piece_of(p) : NULL;
    const size_t before = piece != NULL && piece->start == p ? piece->bytes : 0;
    if (piece == NULL && p != NULL) {
        return realloc(p, bytes);
    }
    void *const moved = hetad_checked_malloc(bytes);
    if (moved != NULL) {
        if (p != NULL) {
            memcpy(moved, p, before < bytes ? before : bytes);
        }
        hetad_checked_free(p);
    }
    return moved;
}

void hetad_reach(void *p, size_t bytes)
{
    hetad_add_piece(p, bytes, HETAD_GIVEN);
}

static void hetad_reach_variables(void);  // those of the device to which there are pointers

// Python calls these before each call.
void hetad_begin_extents(void)
{
    hetad_give_back(0);
    for (size_t i = hetad_memory.count; i-- > 0;) {
        if (hetad_memory.pieces[i].state == HETAD_GIVEN || hetad_memory.pieces[i].state == HETAD_GONE) {
            hetad_drop_piece(i);
        }
    }
    memset(&hetad_here, 0, sizeof hetad_here);
    hetad_reach_variables();
}

static struct hetad_extent hetad_extent_at(const void *p, size_t bytes)
{
    return (struct hetad_extent){(const char *)p, bytes};
}

// What a kernel may reach by a pointer: a piece, shared memory, or the stack.
static __attribute__((noinline, pure)) struct hetad_extent hetad_extent_of(const void *p)
{
    const struct hetad_piece *const piece = hetad_piece_of(p);
    if (piece != NULL) {
        return hetad_extent_at(piece->start, hetad_is_freed(piece) ? 0 : piece->bytes);
    }
    if ((size_t)((const char *)p - hetad_dynamic_extent.start) <= hetad_dynamic_extent.bytes) {
        return hetad_dynamic_extent;
    }
    if ((size_t)((const char *)p - hetad_arena_extent.start) <= hetad_arena_extent.bytes) {
        return hetad_arena_extent;
    }
    const char *const here = (const char *)__builtin_frame_address(0);
    if ((const char *)p >= here && (const char *)p < hetad_stack) {
        return hetad_extent_at(here, (size_t)(hetad_stack - here));
    }
    return hetad_extent_at(p, 0);
}

// On the host pointers come from elsewhere too, as from a function of C.
static inline struct hetad_extent hetad_host_extent_of(const void *p)
{
    const struct hetad_extent found = hetad_extent_of(p);
    const int unknown = found.bytes == 0 && hetad_piece_of(p) == NULL && (size_t)p >= HETAD_LOWEST;
    return unknown ? hetad_extent_at(NULL, (size_t)PTRDIFF_MAX) : found;
}

__attribute__((noreturn, cold, noinline)) static void hetad_outside(
    const char *p, struct hetad_extent e, int site, dim3 block, dim3 thread)
{
    const struct hetad_piece *const piece = hetad_piece_of(e.start);
    const int freed = hetad_is_freed(piece);
    const int empty = e.start == hetad_dynamic_extent.start;
    const int known = e.bytes > 0 || (piece != NULL && !freed) || (empty && e.start != NULL);
    if (__atomic_exchange_n(&hetad_here.stopped, 1, __ATOMIC_RELAXED)) {
        hetad_stop(HETAD_OUTSIDE);  // another thread of the machine was first
    }
    hetad_outside_found = (struct hetad_outside){
        site, known ? 0 : freed ? 2 : (size_t)e.start < HETAD_LOWEST ? 1 : 3,
        p - (freed ? piece->start : e.start), freed ? piece->bytes : e.bytes,
        hetad_here.kernel, hetad_here.grid, hetad_here.threads, block, thread};
    hetad_stop(HETAD_OUTSIDE);
}

// The address of an access of so many bytes.
static inline __attribute__((always_inline)) void *hetad_within_by(
    dim3 block, dim3 thread, const void *p, size_t bytes, struct hetad_extent e, int site)
{
    const size_t room = e.bytes < bytes ? 0 : e.bytes - bytes + 1;  // the same for many accesses
    if (__builtin_expect((size_t)((const char *)p - e.start) >= room, 0)) {
        hetad_outside((const char *)p, e, site, block, thread);
    }
    return (void *)p;
}

// The elements that a pointer leads to: so many before it, and how many there are.
struct hetad_items {
    size_t before, all;
};

static inline struct hetad_items hetad_items_of(const void *p, size_t size, struct hetad_extent e)
{
    const size_t offset = (size_t)((const char *)p - e.start);
    const size_t before = offset <= e.bytes ? offset / size : 0;
    return (struct hetad_items){before, offset <= e.bytes ? before + (e.bytes - offset) / size : 0};
}

// The index of an element behind a pointer.
static inline __attribute__((always_inline)) ptrdiff_t hetad_item_by(
    dim3 block, dim3 thread, ptrdiff_t i, struct hetad_items items, const void *p, size_t size, struct hetad_extent e,
    int site)
{
    if (__builtin_expect((size_t)i + items.before >= items.all, 0)) {
        hetad_outside((const char *)p + i * (ptrdiff_t)size, e, site, block, thread);
    }
    return i;
}

// Whether one of two elements lies outside.
static inline int hetad_leave_items(ptrdiff_t i, ptrdiff_t j, struct hetad_items items)
{
    return __builtin_expect(((size_t)i + items.before >= items.all) | ((size_t)j + items.before >= items.all), 0);
}

// The last number below an end that a loop counts to, by steps; one below the first if nobody knows.
static inline long hetad_last_below(long first, long end, long step)
{
    return step > 0 && end > first ? first + (end - 1 - first) / step * step : first - 1;
}

#define hetad_item(...) hetad_item_by((dim3){0}, (dim3){0}, __VA_ARGS__)
#define hetad_called_item(...) hetad_item_by(blockIdx, threadIdx, __VA_ARGS__)
#define hetad_thread_item(...) \
    hetad_item_by((dim3){hetad_bx, hetad_by, hetad_bz}, (dim3){hetad_tx, hetad_ty, hetad_tz}, __VA_ARGS__)

#define hetad_within(...) hetad_within_by((dim3){0}, (dim3){0}, __VA_ARGS__)
#define hetad_called_within(...) hetad_within_by(blockIdx, threadIdx, __VA_ARGS__)
#define hetad_thread_within(...) \
    hetad_within_by((dim3){hetad_bx, hetad_by, hetad_bz}, (dim3){hetad_tx, hetad_ty, hetad_tz}, __VA_ARGS__)

// A launch begins.
static inline void hetad_enter(const char *kernel, dim3 grid, dim3 threads)
{
    hetad_here.kernel = kernel;
    hetad_here.grid = grid;
    hetad_here.threads = threads;
}

// What the host copies or sets: so many rows.
static inline void hetad_range(const void *p, size_t bytes, size_t rows, size_t pitch, int site)
{
    if (bytes > 0 && rows > 0 && bytes <= (size_t)PTRDIFF_MAX && rows - 1 <= (size_t)PTRDIFF_MAX / (pitch + 1)) {
        const size_t all = (rows - 1) * pitch + bytes;
        const struct hetad_extent e = hetad_host_extent_of(p);
        const size_t offset = (size_t)((const char *)p - e.start);
        if (offset > e.bytes || e.bytes - offset < all) {
            const size_t inside = offset < e.bytes ? e.bytes - offset : 0;
            hetad_outside((const char *)p + inside, e, site, (dim3){0}, (dim3){0});
        }
    }
}

#define malloc(bytes) hetad_checked_malloc(bytes)
#define calloc(count, size) hetad_checked_calloc(count, size)
#define aligned_alloc(alignment, bytes) hetad_checked_aligned(alignment, bytes)
#define realloc(p, bytes) hetad_checked_realloc(p, bytes)
#define free(p) hetad_checked_free(p)
