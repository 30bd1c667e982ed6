// NCCL on GPUs, by its own functions, which Python finds.  Its work goes to the stream on which the program's does; devices
// are for it what the driver calls them.
struct hetad_nccl_functions {
    const char *(*get_error_string)(int error);
    int (*get_unique_id)(ncclUniqueId *id);
    int (*comm_init_rank)(ncclComm_t *made, int ranks, ncclUniqueId id, int rank);
    int (*comm_init_all)(ncclComm_t *made, int count, const int *devices);
    int (*comm_destroy)(ncclComm_t c);
    int (*comm_count)(ncclComm_t c, int *size);
    int (*comm_user_rank)(ncclComm_t c, int *rank);
    int (*comm_cu_device)(ncclComm_t c, int *device);
    int (*all_reduce)(const void *from, void *to, size_t n, int type, int operation, ncclComm_t c, void *stream);
    int (*broadcast)(const void *from, void *to, size_t n, int type, int root, ncclComm_t c, void *stream);
    int (*bcast)(void *values, size_t n, int type, int root, ncclComm_t c, void *stream);
    int (*reduce)(const void *from, void *to, size_t n, int type, int operation, int root, ncclComm_t c, void *stream);
    int (*all_gather)(const void *from, void *to, size_t n, int type, ncclComm_t c, void *stream);
    int (*reduce_scatter)(const void *from, void *to, size_t n, int type, int operation, ncclComm_t c, void *stream);
    int (*send)(const void *from, size_t n, int type, int peer, ncclComm_t c, void *stream);
    int (*recv)(void *to, size_t n, int type, int peer, ncclComm_t c, void *stream);
    int (*group_start)(void);
    int (*group_end)(void);
};
static const struct hetad_nccl_functions *hetad_nccl_of;
void hetad_use_nccl(const struct hetad_nccl_functions *functions)
{
    hetad_nccl_of = functions;
}

static const char *ncclGetErrorString(int error)
{
    return hetad_nccl_of->get_error_string(error);
}

// As the program counts devices.
static ncclResult_t ncclCommCuDevice(ncclComm_t c, int *device)
{
    int ordinal = 0;
    const int error = hetad_nccl_of->comm_cu_device(c, &ordinal);
    *device = hetad_rt->ordinal(ordinal);
    return (ncclResult_t)error;
}

// That of the communicator's device.
static void *hetad_nccl_stream(ncclComm_t c, cudaStream_t stream)
{
    int devices, device;
    const int before = hetad_rt->device(&devices);
    if (devices == 1 || ncclCommCuDevice(c, &device) != ncclSuccess || device == before) {
        return hetad_rt->stream(stream);
    }
    const int error = hetad_rt->set_device(device);
    void *const there = hetad_rt->stream(stream);
    if (error != 0 || hetad_rt->set_device(before) != 0) {
        hetad_fail("the device of a communicator of NCCL cannot be made current");
    }
    return there;
}

static ncclResult_t ncclGetUniqueId(ncclUniqueId *id)
{
    return (ncclResult_t)hetad_nccl_of->get_unique_id(id);
}

static ncclResult_t ncclCommInitRank(ncclComm_t *made, int ranks, ncclUniqueId id, int rank)
{
    return (ncclResult_t)hetad_nccl_of->comm_init_rank(made, ranks, id, rank);
}

static ncclResult_t ncclCommInitAll(ncclComm_t *made, int count, const int *devices)
{
    int ordinals[64], there;
    (void)hetad_rt->device(&there);
    for (int i = 0; i < count; ++i) {
        const int device = devices != NULL ? devices[i] : i;
        if (device < 0 || device >= there || i >= 64) {
            hetad_fail("ncclCommInitAll names a device that is not there");
        }
        ordinals[i] = hetad_rt->ordinal(device);
    }
    return (ncclResult_t)hetad_nccl_of->comm_init_all(made, count, ordinals);
}

static ncclResult_t ncclCommDestroy(ncclComm_t c)
{
    return (ncclResult_t)hetad_nccl_of->comm_destroy(c);
}

static ncclResult_t ncclCommCount(ncclComm_t c, int *size)
{
    return (ncclResult_t)hetad_nccl_of->comm_count(c, size);
}

static ncclResult_t ncclCommUserRank(ncclComm_t c, int *rank)
{
    return (ncclResult_t)hetad_nccl_of->comm_user_rank(c, rank);
}

static ncclResult_t ncclAllReduce(const void *from, void *to, size_t n, ncclDataType_t type, ncclRedOp_t operation,
                                  ncclComm_t c, cudaStream_t stream)
{
    return (ncclResult_t)hetad_nccl_of->all_reduce(from, to, n, type, operation, c, hetad_nccl_stream(c, stream));
}

static ncclResult_t ncclBroadcast(const void *from, void *to, size_t n, ncclDataType_t type, int root, ncclComm_t c,
                                  cudaStream_t stream)
{
    return (ncclResult_t)hetad_nccl_of->broadcast(from, to, n, type, root, c, hetad_nccl_stream(c, stream));
}

static ncclResult_t ncclBcast(void *values, size_t n, ncclDataType_t type, int root, ncclComm_t c, cudaStream_t stream)
{
    return (ncclResult_t)hetad_nccl_of->bcast(values, n, type, root, c, hetad_nccl_stream(c, stream));
}

static ncclResult_t ncclReduce(const void *from, void *to, size_t n, ncclDataType_t type, ncclRedOp_t operation,
                               int root, ncclComm_t c, cudaStream_t stream)
{
    return (ncclResult_t)hetad_nccl_of->reduce(from, to, n, type, operation, root, c, hetad_nccl_stream(c, stream));
}

static ncclResult_t ncclAllGather(const void *from, void *to, size_t n, ncclDataType_t type, ncclComm_t c,
                                  cudaStream_t stream)
{
    return (ncclResult_t)hetad_nccl_of->all_gather(from, to, n, type, c, hetad_nccl_stream(c, stream));
}

static ncclResult_t ncclReduceScatter(const void *from, void *to, size_t n, ncclDataType_t type, ncclRedOp_t operation,
                                      ncclComm_t c, cudaStream_t stream)
{
    return (ncclResult_t)hetad_nccl_of->reduce_scatter(from, to, n, type, operation, c, hetad_nccl_stream(c, stream));
}

static ncclResult_t ncclSend(const void *from, size_t n, ncclDataType_t type, int peer, ncclComm_t c,
                             cudaStream_t stream)
{
    return (ncclResult_t)hetad_nccl_of->send(from, n, type, peer, c, hetad_nccl_stream(c, stream));
}

static ncclResult_t ncclRecv(void *to, size_t n, ncclDataType_t type, int peer, ncclComm_t c, cudaStream_t stream)
{
    return (ncclResult_t)hetad_nccl_of->recv(to, n, type, peer, c, hetad_nccl_stream(c, stream));
}

static ncclResult_t ncclGroupStart(void)
{
    return (ncclResult_t)hetad_nccl_of->group_start();
}

static ncclResult_t ncclGroupEnd(void)
{
    return (ncclResult_t)hetad_nccl_of->group_end();
}
