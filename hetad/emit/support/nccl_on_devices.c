// NCCL on the devices of one process, where the CPU stands for them: what a group asks of all of them is done at its end.
struct ncclComm {
    struct hetad_nccl_clique *all;
    int rank, device;
};

struct hetad_nccl_clique {
    int size, left;  // communicators that there are, and those not destroyed yet
};

// What a communicator is to do: of `kind` r (reduce), b (broadcast), g (gather), s (reduce and scatter), or > (send)
// and < (receive).
struct hetad_nccl_asked {
    char kind;
    int done, root;  // the peer of a message; of a reduction for all -1
    const void *from;
    void *to;
    size_t n;
    ncclDataType_t type;
    ncclRedOp_t operation;
    ncclComm_t c;
};

static struct hetad_nccl_asked *hetad_nccl_queue;
static size_t hetad_nccl_queued, hetad_nccl_queue_room;
static int hetad_nccl_depth;

static size_t hetad_nccl_each(ncclDataType_t type)
{
    static const size_t widths[] = {1, 1, 4, 4, 8, 8, 0, 4, 8, 0};
    const size_t width = (unsigned)type < sizeof widths / sizeof *widths ? widths[type] : 0;
    if (width == 0) {
        hetad_fail("numbers of half precision are not sent where the CPU stands for devices");
    }
    return width;
}

#define HETAD_NCCL_ADD(number, name) \
    static void hetad_nccl_add_##name(void *sum, const void *more, size_t n, ncclRedOp_t operation) \
    { \
        number *const a = (number *)sum; \
        const number *const b = (const number *)more; \
        for (size_t i = 0; i < n; ++i) { \
            a[i] = (number)(operation == ncclProd ? a[i] * b[i] \
                            : operation == ncclMax ? (a[i] > b[i] ? a[i] : b[i]) \
                            : operation == ncclMin ? (a[i] < b[i] ? a[i] : b[i]) \
                                                   : a[i] + b[i]); \
        } \
    }
HETAD_NCCL_ADD(double, double)
HETAD_NCCL_ADD(float, float)
HETAD_NCCL_ADD(signed char, int8)
HETAD_NCCL_ADD(unsigned char, uint8)
HETAD_NCCL_ADD(int, int32)
HETAD_NCCL_ADD(unsigned, uint32)
HETAD_NCCL_ADD(long long, int64)
HETAD_NCCL_ADD(unsigned long long, uint64)

static void hetad_nccl_add(void *sum, const void *more, size_t n, ncclDataType_t type, ncclRedOp_t operation)
{
    switch ((int)type) {
    case 0: hetad_nccl_add_int8(sum, more, n, operation); break;
    case 1: hetad_nccl_add_uint8(sum, more, n, operation); break;
    case 2: hetad_nccl_add_int32(sum, more, n, operation); break;
    case 3: hetad_nccl_add_uint32(sum, more, n, operation); break;
    case 4: hetad_nccl_add_int64(sum, more, n, operation); break;
    case 5: hetad_nccl_add_uint64(sum, more, n, operation); break;
    case 7: hetad_nccl_add_float(sum, more, n, operation); break;
    default: hetad_nccl_add_double(sum, more, n, operation);
    }
}

static void hetad_nccl_average(void *values, size_t n, ncclDataType_t type, ncclRedOp_t operation, int size)
{
    for (size_t i = 0; operation == ncclAvg && i < n; ++i) {
        if (type == ncclDouble) {
            ((double *)values)[i] /= size;
        } else if (type == ncclFloat) {
            ((float *)values)[i] /= (float)size;
        } else {
            hetad_fail("averages of integers are not taken where the CPU stands for devices");
        }
    }
}

// One operation of all ranks, each of which has asked for it; `asked` is in the order of ranks.
static void hetad_nccl_together(struct hetad_nccl_asked *const *asked, int size)
{
    const struct hetad_nccl_asked *const first = asked[0];
    const size_t width = hetad_nccl_each(first->type), block = first->n * width;
    const size_t given = first->kind == 's' ? block * (size_t)size : block;
    char *const all = (char *)malloc((size_t)size * given + 1);
    if (all == NULL) {
        hetad_fail("out of host memory");
    }
    for (int rank = 0; rank < size; ++rank) {
        const struct hetad_nccl_asked *const a = asked[rank];
        if (a->kind != first->kind || a->n != first->n || a->type != first->type || a->root != first->root
            || a->operation != first->operation) {
            free(all);
            hetad_fail("the devices of a communicator are to do different things at the same time");
        }
        if (first->kind != 'b' || rank == first->root) {
            memcpy(all + (size_t)rank * given, a->from, given);
        }
    }
    if (first->kind == 'r' || first->kind == 's') {
        for (int rank = 1; rank < size; ++rank) {
            hetad_nccl_add(all, all + (size_t)rank * given, given / width, first->type, first->operation);
        }
        hetad_nccl_average(all, given / width, first->type, first->operation, size);
    }
    for (int rank = 0; rank < size; ++rank) {
        const int gets = first->kind != 'r' || first->root < 0 || first->root == rank;
        const size_t at = first->kind == 's' ? (size_t)rank * block : first->kind == 'b' ? (size_t)first->root * block : 0;
        if (gets) {
            memcpy(asked[rank]->to, all + at, first->kind == 'g' ? block * (size_t)size : block);
        }
        asked[rank]->done = 1;
    }
    free(all);
}

// The first thing of such a kind that a rank still has to do; for messages, with this peer.
static struct hetad_nccl_asked *hetad_nccl_next(const struct hetad_nccl_clique *all, int rank, char kind, int peer)
{
    for (size_t i = 0; i < hetad_nccl_queued; ++i) {
        struct hetad_nccl_asked *const a = &hetad_nccl_queue[i];
        const int message = a->kind == '<' || a->kind == '>';
        if (!a->done && a->c->all == all && a->c->rank == rank
            && (kind == 0 ? !message : a->kind == kind && a->root == peer)) {
            return a;
        }
    }
    return NULL;
}

static void hetad_nccl_alone(void)
{
    hetad_fail("a device waits for others of its communicator, for which the group has nothing that goes with it");
}

static void hetad_nccl_send_one(struct hetad_nccl_asked *send)
{
    struct hetad_nccl_asked *const receive = hetad_nccl_next(send->c->all, send->root, '<', send->c->rank);
    if (receive == NULL || receive->n != send->n || receive->type != send->type) {
        hetad_nccl_alone();
    }
    memmove(receive->to, send->from, send->n * hetad_nccl_each(send->type));
    send->done = receive->done = 1;
}

static void hetad_nccl_do_all(void)
{
    for (size_t i = 0; i < hetad_nccl_queued; ++i) {
        if (hetad_nccl_queue[i].kind == '>' && !hetad_nccl_queue[i].done) {
            hetad_nccl_send_one(&hetad_nccl_queue[i]);
        }
    }
    for (size_t i = 0; i < hetad_nccl_queued; ++i) {
        struct hetad_nccl_clique *const all = hetad_nccl_queue[i].c->all;
        struct hetad_nccl_asked *asked[64];
        for (int rank = 0; rank < all->size && !hetad_nccl_queue[i].done; ++rank) {
            asked[rank] = hetad_nccl_next(all, rank, 0, 0);
            if (asked[rank] == NULL || hetad_nccl_queue[i].kind == '<') {
                hetad_nccl_alone();
            }
        }
        if (!hetad_nccl_queue[i].done) {
            hetad_nccl_together(asked, all->size);
        }
    }
    hetad_nccl_queued = 0;
}

static void hetad_nccl_own(const void *p, ncclComm_t c)
{
    const int owner = p != NULL ? hetad_rt->device_of(p) : -1;
    if (owner >= 0 && owner != c->device) {
        char text[160];
        snprintf(text, sizeof text, "a communicator of device %d is given memory of device %d", c->device, owner);
        hetad_fail(text);
    }
}

static ncclResult_t hetad_nccl_ask(struct hetad_nccl_asked asked)
{
    hetad_nccl_own(asked.from, asked.c);
    hetad_nccl_own(asked.to, asked.c);
    if (hetad_nccl_queued == hetad_nccl_queue_room) {
        hetad_nccl_queue_room = 2 * hetad_nccl_queue_room + 8;
        hetad_nccl_queue = (struct hetad_nccl_asked *)realloc(hetad_nccl_queue,
                                                              hetad_nccl_queue_room * sizeof *hetad_nccl_queue);
        if (hetad_nccl_queue == NULL) {
            hetad_fail("out of host memory");
        }
    }
    hetad_nccl_queue[hetad_nccl_queued++] = asked;
    if (hetad_nccl_depth == 0) {
        hetad_nccl_do_all();
    }
    return ncclSuccess;
}

static const char *ncclGetErrorString(int error)
{
    return error == 0 ? "no error" : "invalid argument";
}

static ncclResult_t ncclCommInitAll(ncclComm_t *made, int count, const int *devices)
{
    int there;
    (void)hetad_rt->device(&there);
    struct hetad_nccl_clique *const all = (struct hetad_nccl_clique *)malloc(sizeof *all);
    if (all == NULL) {
        hetad_fail("out of host memory");
    }
    *all = (struct hetad_nccl_clique){count, count};
    hetad_nccl_depth = 0, hetad_nccl_queued = 0;  // a call before may have stopped half-way
    for (int rank = 0; rank < count; ++rank) {
        const int device = devices != NULL ? devices[rank] : rank;
        if (device < 0 || device >= there || count > 64) {
            hetad_fail("ncclCommInitAll names a device that is not there");
        }
        for (int other = 0; other < rank; ++other) {
            if (made[other]->device == device) {
                hetad_fail("ncclCommInitAll names a device twice");
            }
        }
        made[rank] = (ncclComm_t)malloc(sizeof **made);
        if (made[rank] == NULL) {
            hetad_fail("out of host memory");
        }
        *made[rank] = (struct ncclComm){all, rank, device};
    }
    return ncclSuccess;
}

static ncclResult_t ncclCommDestroy(ncclComm_t c)
{
    if (--c->all->left == 0) {
        free(c->all);
    }
    free(c);
    return ncclSuccess;
}

static ncclResult_t ncclCommCount(ncclComm_t c, int *size)
{
    *size = c->all->size;
    return ncclSuccess;
}

static ncclResult_t ncclCommUserRank(ncclComm_t c, int *rank)
{
    *rank = c->rank;
    return ncclSuccess;
}

static ncclResult_t ncclCommCuDevice(ncclComm_t c, int *device)
{
    *device = c->device;
    return ncclSuccess;
}

static ncclResult_t ncclAllReduce(const void *from, void *to, size_t n, ncclDataType_t type, ncclRedOp_t operation,
                                  ncclComm_t c, cudaStream_t stream)
{
    (void)stream;
    return hetad_nccl_ask((struct hetad_nccl_asked){'r', 0, -1, from, to, n, type, operation, c});
}

static ncclResult_t ncclReduce(const void *from, void *to, size_t n, ncclDataType_t type, ncclRedOp_t operation,
                               int root, ncclComm_t c, cudaStream_t stream)
{
    (void)stream;
    return hetad_nccl_ask((struct hetad_nccl_asked){'r', 0, root, from, to, n, type, operation, c});
}

static ncclResult_t ncclBroadcast(const void *from, void *to, size_t n, ncclDataType_t type, int root, ncclComm_t c,
                                  cudaStream_t stream)
{
    (void)stream;
    return hetad_nccl_ask((struct hetad_nccl_asked){'b', 0, root, c->rank == root ? from : NULL, to, n, type, ncclSum, c});
}

static ncclResult_t ncclBcast(void *values, size_t n, ncclDataType_t type, int root, ncclComm_t c, cudaStream_t stream)
{
    return ncclBroadcast(values, values, n, type, root, c, stream);
}

static ncclResult_t ncclAllGather(const void *from, void *to, size_t n, ncclDataType_t type, ncclComm_t c,
                                  cudaStream_t stream)
{
    (void)stream;
    return hetad_nccl_ask((struct hetad_nccl_asked){'g', 0, -1, from, to, n, type, ncclSum, c});
}

static ncclResult_t ncclReduceScatter(const void *from, void *to, size_t n, ncclDataType_t type, ncclRedOp_t operation,
                                      ncclComm_t c, cudaStream_t stream)
{
    (void)stream;
    return hetad_nccl_ask((struct hetad_nccl_asked){'s', 0, -1, from, to, n, type, operation, c});
}

static ncclResult_t ncclSend(const void *from, size_t n, ncclDataType_t type, int peer, ncclComm_t c,
                             cudaStream_t stream)
{
    (void)stream;
    return hetad_nccl_ask((struct hetad_nccl_asked){'>', 0, peer, from, NULL, n, type, ncclSum, c});
}

static ncclResult_t ncclRecv(void *to, size_t n, ncclDataType_t type, int peer, ncclComm_t c, cudaStream_t stream)
{
    (void)stream;
    return hetad_nccl_ask((struct hetad_nccl_asked){'<', 0, peer, NULL, to, n, type, ncclSum, c});
}

static ncclResult_t ncclGroupStart(void)
{
    ++hetad_nccl_depth;
    return ncclSuccess;
}

static ncclResult_t ncclGroupEnd(void)
{
    if (--hetad_nccl_depth == 0) {
        hetad_nccl_do_all();
    }
    return ncclSuccess;
}
