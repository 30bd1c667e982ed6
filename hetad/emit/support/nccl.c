// The adjoints of NCCL's operations, by NCCL itself, on the stream of the derivative.
static inline ncclResult_t hetad_nccl_checked(ncclResult_t error)
{
    if (error != ncclSuccess) {
        hetad_fail(ncclGetErrorString(error));
    }
    return error;
}

// The bytes of a number with a derivative; 0 for others.
static size_t hetad_nccl_width(ncclDataType_t type)
{
    return type == ncclDouble ? sizeof(double) : type == ncclFloat ? sizeof(float) : 0;
}

static void *hetad_nccl_zeros(size_t bytes)
{
    void *made = NULL;
    hetad_check(cudaMalloc((void **)&made, bytes > 0 ? bytes : 1));
    hetad_check(cudaMemset(made, 0, bytes));
    return made;
}

// The overwrite rule: the adjoints, which are zero then.
static void *hetad_nccl_take(void *adj, size_t bytes)
{
    void *values = hetad_nccl_zeros(bytes);
    if (adj != NULL && bytes > 0) {
        hetad_check(cudaMemcpy(values, adj, bytes, cudaMemcpyDeviceToDevice));
        hetad_check(cudaMemset(adj, 0, bytes));
    }
    return values;
}

static void hetad_nccl_give(void *adj, void *values, size_t n, ncclDataType_t type)
{
    if (adj != NULL && n > 0 && type == ncclDouble) {
        hetad_copy_pullback_double((double *)values, (double *)adj, n * sizeof(double), cudaMemcpyDeviceToDevice);
    } else if (adj != NULL && n > 0) {
        hetad_copy_pullback_float((float *)values, (float *)adj, n * sizeof(float), cudaMemcpyDeviceToDevice);
    }
    hetad_check(cudaFree(values));
}

// What waits for the end of a group: adjoints that come, for which there is `adj`, and copies of those that go.
struct hetad_nccl_late {
    void *adj, *values;
    size_t n;
    ncclDataType_t type;
};

static struct hetad_nccl_late *hetad_nccl_later;
static size_t hetad_nccl_later_count, hetad_nccl_later_room;
static int hetad_nccl_groups;

static void hetad_nccl_settle(void)
{
    for (size_t i = 0; i < hetad_nccl_later_count; ++i) {
        const struct hetad_nccl_late l = hetad_nccl_later[i];
        hetad_nccl_give(l.adj, l.values, l.n, l.type);
    }
    hetad_nccl_later_count = 0;
}

static void hetad_nccl_wait(void *adj, void *values, size_t n, ncclDataType_t type)
{
    if (hetad_nccl_later_count == hetad_nccl_later_room) {
        hetad_nccl_later_room = 2 * hetad_nccl_later_room + 8;
        hetad_nccl_later = (struct hetad_nccl_late *)realloc(hetad_nccl_later,
                                                             hetad_nccl_later_room * sizeof *hetad_nccl_later);
        if (hetad_nccl_later == NULL) {
            hetad_fail("out of host memory");
        }
    }
    struct hetad_nccl_late *l = &hetad_nccl_later[hetad_nccl_later_count++];
    l->adj = adj;
    l->values = values;
    l->n = n;
    l->type = type;
    if (hetad_nccl_groups == 0) {
        hetad_nccl_settle();
    }
}

// A group of the forward sweep ends where that of the reverse sweep begins.
static void hetad_nccl_group_end_pullback(void)
{
    ++hetad_nccl_groups;
    hetad_nccl_checked(ncclGroupStart());
}

static void hetad_nccl_group_start_pullback(void)
{
    hetad_nccl_checked(ncclGroupEnd());
    if (--hetad_nccl_groups == 0) {
        hetad_nccl_settle();
    }
}

static void hetad_nccl_forget(void)
{
    hetad_nccl_groups = 0;
    hetad_nccl_later_count = 0;
}

static void hetad_nccl_send_pullback(void *adj, size_t n, ncclDataType_t type, int peer, ncclComm_t c)
{
    const size_t width = hetad_nccl_width(type);
    if (width > 0) {
        const int before = hetad_nccl_go_to(c);  // if used
        void *values = hetad_nccl_zeros(n * width);
        hetad_nccl_checked(ncclRecv(values, n, type, peer, c, 0));
        hetad_nccl_wait(adj, values, n, type);
        hetad_go_back(before);  // if used
    }
}

static void hetad_nccl_recv_pullback(void *adj, size_t n, ncclDataType_t type, int peer, ncclComm_t c)
{
    const size_t width = hetad_nccl_width(type);
    if (width > 0) {
        const int before = hetad_nccl_go_to(c);  // if used
        void *values = hetad_nccl_take(adj, n * width);
        hetad_nccl_checked(ncclSend(values, n, type, peer, c, 0));
        hetad_nccl_wait(NULL, values, n, type);
        hetad_go_back(before);  // if used
    }
}

static int hetad_nccl_rank(ncclComm_t c)
{
    int rank = 0;
    hetad_nccl_checked(ncclCommUserRank(c, &rank));
    return rank;
}

static size_t hetad_nccl_size(ncclComm_t c)
{
    int size = 0;
    hetad_nccl_checked(ncclCommCount(c, &size));
    return (size_t)size;
}

static void hetad_nccl_only(int holds)
{
    if (!holds) {
        hetad_fail("this reduction of active data has a derivative by ncclSum only (ncclAllReduce by ncclAvg, too)");
    }
}

static void hetad_nccl_all_reduce_pullback(void *adj_from, void *adj_to, size_t n, ncclDataType_t type,
                                           ncclRedOp_t operation, ncclComm_t c)
{
    const size_t width = hetad_nccl_width(type);
    if (width > 0) {
        const int before = hetad_nccl_go_to(c);  // if used
        hetad_nccl_only(operation == ncclSum || operation == ncclAvg);
        void *values = hetad_nccl_take(adj_to, n * width);
        hetad_nccl_checked(ncclAllReduce(values, values, n, type, operation, c, 0));
        hetad_nccl_wait(adj_from, values, n, type);
        hetad_go_back(before);  // if used
    }
}

static void hetad_nccl_broadcast_pullback(void *adj_from, void *adj_to, size_t n, ncclDataType_t type, int root,
                                          ncclComm_t c)
{
    const size_t width = hetad_nccl_width(type);
    if (width > 0) {
        const int before = hetad_nccl_go_to(c);  // if used
        void *values = hetad_nccl_take(adj_to, n * width);
        hetad_nccl_checked(ncclReduce(values, values, n, type, ncclSum, root, c, 0));
        hetad_nccl_wait(hetad_nccl_rank(c) == root ? adj_from : NULL, values, n, type);
        hetad_go_back(before);  // if used
    }
}

static void hetad_nccl_bcast_pullback(void *adj, size_t n, ncclDataType_t type, int root, ncclComm_t c)
{
    hetad_nccl_broadcast_pullback(adj, adj, n, type, root, c);
}

static void hetad_nccl_reduce_pullback(void *adj_from, void *adj_to, size_t n, ncclDataType_t type,
                                       ncclRedOp_t operation, int root, ncclComm_t c)
{
    const size_t width = hetad_nccl_width(type);
    if (width > 0) {
        const int before = hetad_nccl_go_to(c);  // if used
        hetad_nccl_only(operation == ncclSum);
        void *values = hetad_nccl_take(hetad_nccl_rank(c) == root ? adj_to : NULL, n * width);
        hetad_nccl_checked(ncclBroadcast(values, values, n, type, root, c, 0));
        hetad_nccl_wait(adj_from, values, n, type);
        hetad_go_back(before);  // if used
    }
}

static void hetad_nccl_all_gather_pullback(void *adj_from, void *adj_to, size_t n, ncclDataType_t type, ncclComm_t c)
{
    const size_t width = hetad_nccl_width(type);
    if (width > 0) {
        const int before = hetad_nccl_go_to(c);  // if used
        void *all = hetad_nccl_take(adj_to, n * hetad_nccl_size(c) * width), *own = hetad_nccl_zeros(n * width);
        hetad_nccl_checked(ncclReduceScatter(all, own, n, type, ncclSum, c, 0));
        hetad_nccl_wait(NULL, all, 0, type);
        hetad_nccl_wait(adj_from, own, n, type);
        hetad_go_back(before);  // if used
    }
}

static void hetad_nccl_reduce_scatter_pullback(void *adj_from, void *adj_to, size_t n, ncclDataType_t type,
                                               ncclRedOp_t operation, ncclComm_t c)
{
    const size_t width = hetad_nccl_width(type);
    if (width > 0) {
        const int before = hetad_nccl_go_to(c);  // if used
        hetad_nccl_only(operation == ncclSum);
        const size_t whole = n * hetad_nccl_size(c);
        void *own = hetad_nccl_take(adj_to, n * width), *all = hetad_nccl_zeros(whole * width);
        hetad_nccl_checked(ncclAllGather(own, all, n, type, c, 0));
        hetad_nccl_wait(NULL, own, 0, type);
        hetad_nccl_wait(adj_from, all, whole, type);
        hetad_go_back(before);  // if used
    }
}

// The bytes that an operation overwrites.
static size_t hetad_nccl_bytes(size_t n, ncclDataType_t type)
{
    static const size_t widths[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
    return (unsigned)type < sizeof widths / sizeof *widths ? n * widths[type] : 0;
}

static size_t hetad_nccl_bytes_at(size_t n, ncclDataType_t type, int root, ncclComm_t c)
{
    return hetad_nccl_rank(c) == root ? hetad_nccl_bytes(n, type) : 0;
}

static size_t hetad_nccl_bytes_of_all(size_t n, ncclDataType_t type, ncclComm_t c)
{
    return hetad_nccl_bytes(n * hetad_nccl_size(c), type);
}

// The reverse sweep still needs what the program has done with.
static ncclComm_t *hetad_nccl_done;
static size_t hetad_nccl_done_count;

static ncclResult_t hetad_nccl_destroy_later(ncclComm_t c)
{
    hetad_nccl_done = (ncclComm_t *)realloc(hetad_nccl_done, (hetad_nccl_done_count + 1) * sizeof *hetad_nccl_done);
    if (hetad_nccl_done == NULL) {
        hetad_fail("out of host memory");
    }
    hetad_nccl_done[hetad_nccl_done_count++] = c;
    return ncclSuccess;
}

static void hetad_nccl_destroy_now(void)
{
    while (hetad_nccl_done_count > 0) {
        hetad_nccl_checked(ncclCommDestroy(hetad_nccl_done[--hetad_nccl_done_count]));
    }
}
