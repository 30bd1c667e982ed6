// NCCL where there is no GPU: each rank of MPI is one with a device of its own, and streams do all work at once.
struct ncclComm {
    MPI_Comm mpi;
    int rank, size, device;
};

static int hetad_nccl_depth, hetad_nccl_count, hetad_nccl_room;
static MPI_Request *hetad_nccl_requests;  // of the messages of a group

static const char *ncclGetErrorString(int error)
{
    return error == 0 ? "no error" : "error of MPI, which stands for NCCL";
}

static inline ncclResult_t hetad_nccl_of_mpi(int error)
{
    return error == MPI_SUCCESS ? ncclSuccess : ncclSystemError;
}

static MPI_Datatype hetad_nccl_type(ncclDataType_t type)
{
    switch ((int)type) {
    case 0: return MPI_INT8_T;
    case 1: return MPI_UINT8_T;
    case 2: return MPI_INT32_T;
    case 3: return MPI_UINT32_T;
    case 4: return MPI_INT64_T;
    case 5: return MPI_UINT64_T;
    case 7: return MPI_FLOAT;
    case 8: return MPI_DOUBLE;
    }
    hetad_fail("numbers of half precision are not sent where MPI stands for NCCL");
    return MPI_DATATYPE_NULL;
}

static MPI_Op hetad_nccl_operation(ncclRedOp_t operation)
{
    return operation == ncclProd ? MPI_PROD : operation == ncclMax ? MPI_MAX : operation == ncclMin ? MPI_MIN : MPI_SUM;
}

// A sum that is to be an average.
static void hetad_nccl_average(void *values, size_t n, ncclDataType_t type, ncclRedOp_t operation, int size)
{
    for (size_t i = 0; operation == ncclAvg && i < n; ++i) {
        if (type == ncclDouble) {
            ((double *)values)[i] /= size;
        } else if (type == ncclFloat) {
            ((float *)values)[i] /= (float)size;
        } else {
            hetad_fail("averages of integers are not taken where MPI stands for NCCL");
        }
    }
}

static ncclResult_t ncclGetUniqueId(ncclUniqueId *id)
{
    static int number;
    memset(id, 0, sizeof *id);
    memcpy(id->internal, &number, sizeof number);
    number = (number + 1) % 1000000;
    return ncclSuccess;
}

static ncclResult_t ncclCommInitRank(ncclComm_t *made, int ranks, ncclUniqueId id, int rank)
{
    int number;
    struct ncclComm *c = (struct ncclComm *)calloc(1, sizeof *c);
    if (c == NULL) {
        hetad_fail("out of host memory");
    }
    int devices;
    c->device = hetad_rt->device(&devices);
    memcpy(&number, id.internal, sizeof number);
    const int error = MPI_Comm_split(MPI_COMM_WORLD, number, rank, &c->mpi);
    MPI_Comm_rank(c->mpi, &c->rank);
    MPI_Comm_size(c->mpi, &c->size);
    if (c->rank != rank || c->size != ranks) {
        hetad_fail("where MPI stands for NCCL, all ranks of the world make their communicators together, those of each "
                   "with the identifier that one of them has made");
    }
    *made = c;
    return hetad_nccl_of_mpi(error);
}

static ncclResult_t ncclCommDestroy(ncclComm_t c)
{
    const int error = MPI_Comm_free(&c->mpi);
    free(c);
    return hetad_nccl_of_mpi(error);
}

static ncclResult_t ncclCommCount(ncclComm_t c, int *size)
{
    *size = c->size;
    return ncclSuccess;
}

static ncclResult_t ncclCommCuDevice(ncclComm_t c, int *device)
{
    *device = c->device;
    return ncclSuccess;
}

static ncclResult_t ncclCommUserRank(ncclComm_t c, int *rank)
{
    *rank = c->rank;
    return ncclSuccess;
}

static ncclResult_t ncclAllReduce(const void *from, void *to, size_t n, ncclDataType_t type, ncclRedOp_t operation,
                                  ncclComm_t c, cudaStream_t stream)
{
    (void)stream;
    const int error = MPI_Allreduce(from == to ? MPI_IN_PLACE : from, to, (int)n, hetad_nccl_type(type),
                                    hetad_nccl_operation(operation), c->mpi);
    hetad_nccl_average(to, n, type, operation, c->size);
    return hetad_nccl_of_mpi(error);
}

static ncclResult_t ncclBcast(void *values, size_t n, ncclDataType_t type, int root, ncclComm_t c, cudaStream_t stream)
{
    (void)stream;
    return hetad_nccl_of_mpi(MPI_Bcast(values, (int)n, hetad_nccl_type(type), root, c->mpi));
}

static ncclResult_t ncclBroadcast(const void *from, void *to, size_t n, ncclDataType_t type, int root, ncclComm_t c,
                                  cudaStream_t stream)
{
    int size;
    MPI_Type_size(hetad_nccl_type(type), &size);
    if (c->rank == root && from != to) {
        memcpy(to, from, n * (size_t)size);
    }
    return ncclBcast(to, n, type, root, c, stream);
}

static ncclResult_t ncclReduce(const void *from, void *to, size_t n, ncclDataType_t type, ncclRedOp_t operation,
                               int root, ncclComm_t c, cudaStream_t stream)
{
    (void)stream;
    const int error = MPI_Reduce(c->rank == root && from == to ? MPI_IN_PLACE : from, to, (int)n, hetad_nccl_type(type),
                                 hetad_nccl_operation(operation), root, c->mpi);
    hetad_nccl_average(to, c->rank == root ? n : 0, type, operation, c->size);
    return hetad_nccl_of_mpi(error);
}

static ncclResult_t ncclAllGather(const void *from, void *to, size_t n, ncclDataType_t type, ncclComm_t c,
                                  cudaStream_t stream)
{
    (void)stream;
    int size;
    const MPI_Datatype t = hetad_nccl_type(type);
    MPI_Type_size(t, &size);
    const int in_place = (const char *)from == (char *)to + (size_t)c->rank * n * (size_t)size;
    return hetad_nccl_of_mpi(MPI_Allgather(in_place ? MPI_IN_PLACE : from, (int)n, t, to, (int)n, t, c->mpi));
}

static ncclResult_t ncclReduceScatter(const void *from, void *to, size_t n, ncclDataType_t type, ncclRedOp_t operation,
                                      ncclComm_t c, cudaStream_t stream)
{
    (void)stream;
    int size;
    const MPI_Datatype t = hetad_nccl_type(type);
    MPI_Type_size(t, &size);
    void *block = malloc(n * (size_t)size + 1);  // in place, the block lies in what is reduced
    if (block == NULL) {
        hetad_fail("out of host memory");
    }
    const int error = MPI_Reduce_scatter_block(from, block, (int)n, t, hetad_nccl_operation(operation), c->mpi);
    memcpy(to, block, n * (size_t)size);
    free(block);
    hetad_nccl_average(to, n, type, operation, c->size);
    return hetad_nccl_of_mpi(error);
}

static MPI_Request *hetad_nccl_request(void)
{
    if (hetad_nccl_count == hetad_nccl_room) {
        hetad_nccl_room = 2 * hetad_nccl_room + 8;
        hetad_nccl_requests =
            (MPI_Request *)realloc(hetad_nccl_requests, (size_t)hetad_nccl_room * sizeof *hetad_nccl_requests);
        if (hetad_nccl_requests == NULL) {
            hetad_fail("out of host memory");
        }
    }
    return &hetad_nccl_requests[hetad_nccl_count++];
}

static ncclResult_t ncclGroupStart(void)
{
    ++hetad_nccl_depth;
    return ncclSuccess;
}

static ncclResult_t ncclGroupEnd(void)
{
    int error = MPI_SUCCESS;
    if (--hetad_nccl_depth == 0) {
        error = MPI_Waitall(hetad_nccl_count, hetad_nccl_requests, MPI_STATUSES_IGNORE);
        hetad_nccl_count = 0;
    }
    return hetad_nccl_of_mpi(error);
}

static ncclResult_t ncclSend(const void *from, size_t n, ncclDataType_t type, int peer, ncclComm_t c,
                             cudaStream_t stream)
{
    (void)stream;
    const MPI_Datatype t = hetad_nccl_type(type);
    return hetad_nccl_of_mpi(hetad_nccl_depth > 0
                                 ? MPI_Isend(from, (int)n, t, peer, 0, c->mpi, hetad_nccl_request())
                                 : MPI_Ssend(from, (int)n, t, peer, 0, c->mpi));
}

static ncclResult_t ncclRecv(void *to, size_t n, ncclDataType_t type, int peer, ncclComm_t c, cudaStream_t stream)
{
    (void)stream;
    const MPI_Datatype t = hetad_nccl_type(type);
    return hetad_nccl_of_mpi(hetad_nccl_depth > 0 ? MPI_Irecv(to, (int)n, t, peer, 0, c->mpi, hetad_nccl_request())
                                                  : MPI_Recv(to, (int)n, t, peer, 0, c->mpi, MPI_STATUS_IGNORE));
}
