// Collective operations that are started, and waited for later, reversed.
//
// The adjoint starts where the wait is undone, and is waited for where the start is undone.  All ranks start such
// operations in one order, and wait for them in any: so an adjoint whose turn has not come stays until those of the
// operations that were started later have begun.  All of their waits are undone before anything waits for it.
static int *hetad_mpi_own_numbers(const int *numbers, int count)
{
    if (numbers == NULL || count == 0) {
        return NULL;
    }
    const size_t bytes = (size_t)count * sizeof *numbers;
    return (int *)memcpy(hetad_mpi_room(bytes), numbers, bytes);
}

struct hetad_mpi_started {
    struct hetad_mpi_collective c;
    struct hetad_mpi_weighing weighing;
};

// The program has waited for it.
static void hetad_mpi_weigh_started(struct hetad_mpi_receive *r)
{
    struct hetad_mpi_started *s = (struct hetad_mpi_started *)r->collective;
    s->c.weights = hetad_mpi_weighed(&s->weighing);
}

// Its wait is undone.
static void hetad_mpi_take_started(struct hetad_mpi_receive *r)
{
    const MPI_Comm communicator = r->communicator;
    ((struct hetad_mpi_started *)r->collective)->c.ready = 1;
    for (size_t i = hetad_mpi_state.receive_count; i-- > 0;) {
        struct hetad_mpi_started *s = (struct hetad_mpi_started *)hetad_mpi_state.receives[i].collective;
        if (s == NULL || s->c.communicator != communicator || s->c.begun) {
            continue;
        }
        if (!s->c.ready) {
            return;
        }
        s->c.begun = 1;
        s->c.adjoint(&s->c);
    }
}

// How many blocks there are whose numbers this rank knows.
static int hetad_mpi_blocks_here(int root, MPI_Comm communicator)
{
    if (root == -2) {
        return hetad_mpi_neighbour_count(communicator);
    }
    return root == -1 || hetad_mpi_rank(communicator) == root ? hetad_mpi_size(communicator) : 0;
}

// Before it starts.  `root`: -1 where no rank is another than the others, -2 where neighbours meet.
static void hetad_mpi_starting(hetad_mpi_adjoint adjoint, void *adj_from, void *adj_to, int where_from, int where_to,
                               const void *from, const void *to, const int *sent, const int *sent_places, int count,
                               MPI_Datatype type, const int *counts, const int *places, int block,
                               MPI_Datatype block_type, MPI_Op operation, int root, MPI_Comm communicator, int line)
{
    struct hetad_mpi_started *s = (struct hetad_mpi_started *)hetad_mpi_room(sizeof *s);
    struct hetad_mpi_receive *r = hetad_mpi_new_entry();
    const int blocks = hetad_mpi_blocks_here(root, communicator);
    s->c = hetad_mpi_operands(adj_from, adj_to, count, type, communicator, where_from, where_to);
    s->c.adjoint = adjoint;
    s->c.sent = hetad_mpi_own_numbers(sent, blocks);
    s->c.sent_places = hetad_mpi_own_numbers(sent_places, blocks);
    s->c.counts = hetad_mpi_own_numbers(counts, blocks);
    s->c.places = hetad_mpi_own_numbers(places, blocks);
    s->c.block = block;
    s->c.block_type = block_type;
    s->c.operation = operation;
    s->c.root = root;
    s->c.starts = 1;
    s->c.request = MPI_REQUEST_NULL;
    if (operation != MPI_OP_NULL) {
        const int in_place = from == MPI_IN_PLACE;
        hetad_mpi_weigh_begin(&s->weighing, in_place ? to : from, count, type, operation,
                              hetad_mpi_way(&s->c), in_place ? where_to : where_from, 1);
    }
    r->collective = s;
    r->came = hetad_mpi_weigh_started;
    r->undone = hetad_mpi_take_started;
    r->communicator = communicator;
    r->line = line;
}

static int hetad_mpi_done_already(void *state, MPI_Status *status)
{
    (void)state;
    status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
    hetad_mpi_check(MPI_Status_set_elements(status, MPI_BYTE, 0));
    return MPI_Status_set_cancelled(status, 0);
}

static int hetad_mpi_nothing_to_free(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int hetad_mpi_nothing_to_cancel(void *state, int done)
{
    (void)state;
    (void)done;
    return MPI_SUCCESS;
}

// For operations that are done at once a library may hand out one and the same request: this one is like no other.
static void hetad_mpi_own_request(MPI_Request *request)
{
    int done = 0;
    hetad_mpi_check(MPI_Request_get_status(*request, &done, MPI_STATUS_IGNORE));
    if (done) {
        hetad_mpi_check(MPI_Wait(request, MPI_STATUS_IGNORE));
        hetad_mpi_check(MPI_Grequest_start(hetad_mpi_done_already, hetad_mpi_nothing_to_free,
                                           hetad_mpi_nothing_to_cancel, NULL, request));
        hetad_mpi_check(MPI_Grequest_complete(*request));
    }
}

// It has started.
static void hetad_mpi_pending(MPI_Request *request)
{
    struct hetad_mpi_receive *r = &hetad_mpi_state.receives[hetad_mpi_state.receive_count - 1];
    hetad_mpi_own_request(request);
    r->request = *request;
    r->waiting = 1;
    ++hetad_mpi_state.waiting;
}

// Nothing of it will be undone.
static void hetad_mpi_drop_started(struct hetad_mpi_receive *r)
{
    struct hetad_mpi_started *s = (struct hetad_mpi_started *)r->collective;
    if (s != NULL) {
        free(s->c.weights);
        free((void *)s->c.sent);
        free((void *)s->c.sent_places);
        free((void *)s->c.counts);
        free((void *)s->c.places);
        free(s);
    }
}

// Its start is undone.
static void hetad_mpi_starting_pullback(void *adj_from, void *adj_to)
{
    (void)adj_from;  // whose addresses the forward sweep has left here
    (void)adj_to;
    struct hetad_mpi_receive *r = &hetad_mpi_state.receives[--hetad_mpi_state.receive_count];
    hetad_mpi_end(&((struct hetad_mpi_started *)r->collective)->c);
    hetad_mpi_drop_started(r);
}
