// Requests that are made once and started again and again: what each stands for, and what its starts leave behind.
struct hetad_mpi_persistent {
    MPI_Request request;
    void *memory;               // of the program
    struct hetad_mpi_cells to;  // adjoints or tangents
    int where, receives, peer, tag, line;
    MPI_Comm communicator;
};

struct hetad_mpi_all_persistent {
    struct hetad_mpi_persistent *known;
    size_t count, room;
};

static struct hetad_mpi_all_persistent hetad_mpi_made;

static void hetad_mpi_forget_persistent(void)
{
    hetad_mpi_made.count = 0;
}

static void hetad_mpi_persist(int receives, void *memory, int count, MPI_Datatype type, int peer, int tag,
                              MPI_Comm communicator, const MPI_Request *request, void *adj, int where, int line)
{
    if (hetad_mpi_made.count == hetad_mpi_made.room) {
        hetad_mpi_made.known = (struct hetad_mpi_persistent *)hetad_mpi_grown(
            hetad_mpi_made.known, &hetad_mpi_made.room, sizeof *hetad_mpi_made.known);
    }
    struct hetad_mpi_persistent *p = &hetad_mpi_made.known[hetad_mpi_made.count++];
    p->request = *request;
    p->memory = memory;
    p->to = hetad_mpi_some(adj, count, type, hetad_mpi_element_in(adj, where, type), where);
    p->where = where;
    p->receives = receives;
    p->peer = peer;
    p->tag = tag;
    p->line = line;
    p->communicator = communicator;
}

static void hetad_mpi_persistent_send(const void *memory, int count, MPI_Datatype type, int peer, int tag,
                                      MPI_Comm communicator, const MPI_Request *request, void *adj, int where, int line)
{
    hetad_mpi_persist(0, (void *)memory, count, type, peer, tag, communicator, request, adj, where, line);
}

static void hetad_mpi_persistent_recv(void *memory, int count, MPI_Datatype type, int peer, int tag,
                                      MPI_Comm communicator, const MPI_Request *request, void *adj, int where, int line)
{
    hetad_mpi_persist(1, memory, count, type, peer, tag, communicator, request, adj, where, line);
}

static void hetad_mpi_persistent_send_pullback(void *adj)
{
    (void)adj;  // whose address the forward sweep has left here
}

static void hetad_mpi_persistent_recv_pullback(void *adj)
{
    (void)adj;
}

// A freed request may come back as another one.
static int hetad_mpi_request_free(MPI_Request *request)
{
    for (size_t i = 0; i < hetad_mpi_made.count; ++i) {
        if (hetad_mpi_made.known[i].request == *request) {
            hetad_mpi_made.known[i].request = MPI_REQUEST_NULL;
        }
    }
    hetad_mpi_check(MPI_Request_free(request));
    return MPI_SUCCESS;
}

// The first that is known of a request; there is one for each tangent.
static size_t hetad_mpi_find_persistent(MPI_Request request)
{
    for (size_t i = 0; i < hetad_mpi_made.count; ++i) {
        if (hetad_mpi_made.known[i].request == request) {
            return i;
        }
    }
    hetad_fail("a request is started that the function has not made with MPI_Send_init, MPI_Recv_init or their like");
    return 0;
}

static size_t hetad_mpi_bytes_received(const struct hetad_mpi_persistent *p)
{
    return p->peer == MPI_PROC_NULL ? 0 : hetad_mpi_bytes(p->to.count, p->to.type);
}

// A start is undone by what it leaves: of a receive, what it overwrites; of a send, where its adjoints come from.
static int hetad_mpi_start(MPI_Request *request)
{
    const struct hetad_mpi_persistent p = hetad_mpi_made.known[hetad_mpi_find_persistent(*request)];
    struct hetad_mpi_receive *r = hetad_mpi_new_entry();
    r->cells = p.to;
    r->communicator = p.communicator;
    r->line = p.line;
    r->tag = p.tag;
    r->memory = p.memory;
    r->bytes = p.receives ? hetad_mpi_bytes_received(&p) : 0;
    if (p.where % 2) {
        hetad_check(cudaDeviceSynchronize());
    }
    if (p.receives) {
        hetad_save_range(p.memory, r->bytes);
        r->from = p.peer;
        r->request = *request;
        r->waiting = p.peer != MPI_PROC_NULL;
        hetad_mpi_state.waiting += (size_t)r->waiting;
    } else {
        hetad_mpi_state.sent += p.peer != MPI_PROC_NULL;
        r->sends = 1;
        r->to = p.peer;
    }
    hetad_mpi_check(MPI_Start(request));
    return MPI_SUCCESS;
}

static int hetad_mpi_startall(int count, MPI_Request *requests)
{
    for (int i = 0; i < count; ++i) {
        hetad_mpi_start(&requests[i]);
    }
    return MPI_SUCCESS;
}

static void hetad_mpi_start_pullback(void)
{
    const struct hetad_mpi_receive r = hetad_mpi_state.receives[--hetad_mpi_state.receive_count];
    if (!r.sends) {
        hetad_restore_range(r.memory, r.bytes);
    } else if (r.cells.element != MPI_DATATYPE_NULL) {
        hetad_mpi_returned(&r.cells, r.to, r.tag, r.communicator);
    }
}

static void hetad_mpi_startall_pullback(int count)
{
    for (int i = 0; i < count; ++i) {
        hetad_mpi_start_pullback();
    }
}

// -- tangents

static void hetad_mpi_persistent_send_tangent(void *dot, int count, MPI_Datatype type, int peer, int tag,
                                              MPI_Comm communicator, const MPI_Request *request, int where)
{
    hetad_mpi_persist(0, NULL, count, type, peer, tag, communicator, request, dot, where, 0);
}

static void hetad_mpi_persistent_recv_tangent(void *dot, int count, MPI_Datatype type, int peer, int tag,
                                              MPI_Comm communicator, const MPI_Request *request, int where)
{
    hetad_mpi_persist(1, NULL, count, type, peer, tag, communicator, request, dot, where, 0);
}

static int hetad_mpi_start_tangent(MPI_Request *request)
{
    if (hetad_mpi_made.known[hetad_mpi_find_persistent(*request)].where % 2) {
        hetad_check(cudaDeviceSynchronize());
    }
    hetad_mpi_check(MPI_Start(request));
    for (size_t i = hetad_mpi_find_persistent(*request); i < hetad_mpi_made.count; ++i) {
        const struct hetad_mpi_persistent p = hetad_mpi_made.known[i];
        if (p.request != *request) {
            continue;
        }
        if (p.receives) {
            hetad_mpi_irecv_tangent(p.to.memory, p.to.count, p.to.type, p.peer, p.tag, p.communicator, request,
                                    p.where);
        } else {
            hetad_mpi_send_tangent(p.to.memory, p.to.count, p.to.type, p.peer, p.tag, p.communicator, p.where);
        }
    }
    return MPI_SUCCESS;
}

static int hetad_mpi_startall_tangent(int count, MPI_Request *requests)
{
    for (int i = 0; i < count; ++i) {
        hetad_mpi_start_tangent(&requests[i]);
    }
    return MPI_SUCCESS;
}
