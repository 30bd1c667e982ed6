// The devices that the CPU stands for: as many as HETAD_CPU_DEVICES says.  What belongs to none of the others is known
// here; the rest, and what the program is given, belongs to number 0.
enum { HETAD_OF_ALL = -1, HETAD_MOST_DEVICES = 64 };

struct hetad_cpu_piece {
    const char *start;
    size_t bytes;
    int owner;
};

static struct hetad_cpu_piece *hetad_cpu_pieces;  // sorted by address
static size_t hetad_cpu_piece_count, hetad_cpu_piece_room;
static int hetad_cpu_current;
static unsigned char hetad_cpu_peers[HETAD_MOST_DEVICES][HETAD_MOST_DEVICES];

static int hetad_cpu_device_count(void)
{
    const char *const given = getenv("HETAD_CPU_DEVICES");
    const int count = given != NULL && *given != 0 ? atoi(given) : 4;
    return count < 1 ? 1 : count > HETAD_MOST_DEVICES ? HETAD_MOST_DEVICES : count;
}

// The number of pieces that start at or before p.
static size_t hetad_cpu_rank(const void *p)
{
    size_t low = 0, high = hetad_cpu_piece_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (hetad_cpu_pieces[middle].start <= (const char *)p) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// The device that has this memory; what lies just behind a piece is taken for a part of it.
static int hetad_cpu_owner(const void *p)
{
    const size_t rank = hetad_cpu_rank(p);
    if (rank == 0) {
        return 0;
    }
    const struct hetad_cpu_piece *const piece = &hetad_cpu_pieces[rank - 1];
    return (size_t)((const char *)p - piece->start) <= piece->bytes ? piece->owner : 0;
}

// Memory that has just been allocated gets its owner; NULL if there is no more to know of it in.
static void *hetad_cpu_give(void *p, size_t bytes, int owner)
{
    if (p == NULL || owner == 0) {
        return p;
    }
    if (hetad_cpu_piece_count == hetad_cpu_piece_room) {
        const size_t room = 2 * hetad_cpu_piece_room + 64;
        void *const moved = realloc(hetad_cpu_pieces, room * sizeof *hetad_cpu_pieces);
        if (moved == NULL) {
            free(p);
            return NULL;
        }
        hetad_cpu_pieces = (struct hetad_cpu_piece *)moved;
        hetad_cpu_piece_room = room;
    }
    const size_t at = hetad_cpu_rank(p);
    memmove(hetad_cpu_pieces + at + 1, hetad_cpu_pieces + at, (hetad_cpu_piece_count++ - at) * sizeof *hetad_cpu_pieces);
    hetad_cpu_pieces[at] = (struct hetad_cpu_piece){(const char *)p, bytes, owner};
    return p;
}

static void hetad_cpu_take(const void *p)
{
    const size_t rank = hetad_cpu_rank(p);
    if (rank > 0 && hetad_cpu_pieces[rank - 1].start == (const char *)p) {
        memmove(hetad_cpu_pieces + rank - 1, hetad_cpu_pieces + rank,
                (hetad_cpu_piece_count-- - rank) * sizeof *hetad_cpu_pieces);
    }
}

static int hetad_cpu_set_device(int device)
{
    if (device < 0 || device >= hetad_cpu_device_count()) {
        return cudaErrorInvalidDevice;
    }
    hetad_cpu_current = device;
    return 0;
}

static int hetad_cpu_device(int *count)
{
    *count = hetad_cpu_device_count();
    return hetad_cpu_current;
}

static int hetad_cpu_peer(int peer, int what)
{
    unsigned char *const enabled = &hetad_cpu_peers[hetad_cpu_current][peer & (HETAD_MOST_DEVICES - 1)];
    if (peer < 0 || peer >= hetad_cpu_device_count() || peer == hetad_cpu_current) {
        return cudaErrorInvalidDevice;
    }
    if (what == HETAD_PEER_CAN) {
        return 0;
    }
    if (*enabled == (what == HETAD_PEER_ENABLE)) {
        return *enabled ? cudaErrorPeerAccessAlreadyEnabled : cudaErrorPeerAccessNotEnabled;
    }
    *enabled = what == HETAD_PEER_ENABLE;
    return 0;
}

// Whether kernels of the current device may use the memory at p.
static int hetad_cpu_reaches(const void *p, int *owner)
{
    *owner = p != NULL ? hetad_cpu_owner(p) : HETAD_OF_ALL;
    return *owner == HETAD_OF_ALL || *owner == hetad_cpu_current || hetad_cpu_peers[hetad_cpu_current][*owner];
}

// The next call begins as the first one did.
static void hetad_cpu_leave_devices(void)
{
    hetad_cpu_current = 0;
    memset(hetad_cpu_peers, 0, sizeof hetad_cpu_peers);
}
