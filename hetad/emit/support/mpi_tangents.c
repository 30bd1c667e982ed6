// Messages and their tangents, which go beside them along communicators of their own.
static void hetad_mpi_put(const struct hetad_mpi_cells *c, void *values)
{
    const size_t bytes = hetad_mpi_bytes(c->count, c->type);
    if (c->memory == NULL || bytes == 0) {
        return;
    }
    char *here = hetad_mpi_open(c->memory, bytes, c->on_device);
    hetad_mpi_unpack(c, here, values);
    hetad_mpi_close(here, c->memory, bytes, c->on_device);
}

static void *hetad_mpi_copied(const struct hetad_mpi_cells *c)
{
    const size_t n = hetad_mpi_length(c), bytes = hetad_mpi_bytes(c->count, c->type);
    void *values = hetad_mpi_room(n * hetad_mpi_width(c->element));
    if (c->memory != NULL && n > 0) {
        char *here = hetad_mpi_open(c->memory, bytes, c->on_device);
        hetad_mpi_pack(c, here, values);
        if (c->on_device) {
            free(here);
        }
    }
    return values;
}

static void hetad_mpi_send_tangent(void *dot, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator,
                                   int where)
{
    const MPI_Datatype element = hetad_mpi_element_in(dot, where, type);
    if (element != MPI_DATATYPE_NULL && to != MPI_PROC_NULL) {
        const struct hetad_mpi_cells cells = hetad_mpi_some(dot, count, type, element, where);
        hetad_mpi_post(hetad_mpi_copied(&cells), hetad_mpi_int(hetad_mpi_length(&cells)), element, to, tag,
                       communicator);
    }
}

// The tangent of a message that is there.
static void hetad_mpi_receive_tangent(const struct hetad_mpi_receive *r, void *dot, int where)
{
    if (hetad_mpi_has_adjoint(r)) {
        struct hetad_mpi_cells cells = r->cells;
        cells.memory = (char *)dot;
        cells.on_device = where % 2;
        void *values = hetad_mpi_room((size_t)r->numbers * hetad_mpi_width(cells.element));
        hetad_mpi_check(MPI_Recv(values, r->numbers, cells.element, r->from, r->tag,
                                 hetad_mpi_beside(r->communicator), MPI_STATUS_IGNORE));
        hetad_mpi_put(&cells, values);
        free(values);
    }
}

static void hetad_mpi_forget_receive(void)
{
    --hetad_mpi_state.receive_count;
}

// Receives that the program has waited for need not be known any longer.
static void hetad_mpi_drop_done(void)
{
    while (hetad_mpi_state.receive_count > 0) {
        const struct hetad_mpi_receive *last = &hetad_mpi_state.receives[hetad_mpi_state.receive_count - 1];
        if (last->waiting || !last->tangent) {
            return;
        }
        --hetad_mpi_state.receive_count;
    }
}

// The tangent of a receive that was started: it comes when the program waits for it.
static void hetad_mpi_irecv_tangent(void *dot, int count, MPI_Datatype type, int from, int tag, MPI_Comm communicator,
                                    MPI_Request *request, int where)
{
    if (from == MPI_PROC_NULL || hetad_mpi_element_in(dot, where, type) == MPI_DATATYPE_NULL) {
        return;
    }
    hetad_mpi_drop_done();
    const size_t number = hetad_mpi_new_receive(dot, count, type, from, communicator, where);
    struct hetad_mpi_receive *r = &hetad_mpi_state.receives[number];
    r->tag = tag;
    r->tangent = HETAD_MPI_AWAITED;
    r->waiting = 1;
    r->request = *request;
    ++hetad_mpi_state.waiting;
}

// Tangents come in the order of the messages.  So those along the same way that were started earlier are taken first:
// into memory that the program does not use before it has waited for them.
static void hetad_mpi_deliver_before(size_t number)
{
    const struct hetad_mpi_receive *r = &hetad_mpi_state.receives[number];
    for (size_t i = 0; i < number; ++i) {
        struct hetad_mpi_receive *earlier = &hetad_mpi_state.receives[i];
        if (earlier->tangent != HETAD_MPI_AWAITED || !earlier->waiting || earlier->request == r->request ||
            earlier->communicator != r->communicator) {
            continue;
        }
        const int any = earlier->from == MPI_ANY_SOURCE || earlier->tag == MPI_ANY_TAG;
        if (any && (earlier->from == r->from || earlier->from == MPI_ANY_SOURCE) &&
            (earlier->tag == r->tag || earlier->tag == MPI_ANY_TAG)) {
            hetad_fail("receives of messages from any rank are waited for out of their order, which has no tangent");
        }
        if (!any && earlier->from == r->from && earlier->tag == r->tag) {
            MPI_Status status;
            hetad_mpi_check(MPI_Probe(r->from, r->tag, hetad_mpi_beside(r->communicator), &status));
            hetad_mpi_count(earlier, &status, earlier->cells.element);
            hetad_mpi_receive_tangent(earlier, earlier->cells.memory, earlier->cells.on_device);
            earlier->tangent = HETAD_MPI_THERE;
        }
    }
}

// Of the last receive, which was waited for at once.
static void hetad_mpi_received_tangent(void *dot, int where)
{
    const size_t last = hetad_mpi_state.receive_count - 1;
    hetad_mpi_deliver_before(last);
    hetad_mpi_receive_tangent(&hetad_mpi_state.receives[last], dot, where);
}

// An operation on tangents, whose request lies beside that of the program's.
static struct hetad_mpi_receive *hetad_mpi_new_beside(void)
{
    hetad_mpi_drop_done();
    struct hetad_mpi_receive *r = hetad_mpi_new_entry();
    r->tangent = HETAD_MPI_BESIDE;
    r->waiting = 1;
    r->request = r->beside = MPI_REQUEST_NULL;
    ++hetad_mpi_state.waiting;
    return r;
}

static MPI_Request *hetad_mpi_tangent_request(const MPI_Request *request)
{
    struct hetad_mpi_receive *r = hetad_mpi_new_beside();
    r->request = *request;
    return &r->beside;
}

// The program has started what these have started before.
static void hetad_mpi_tangents_pending(MPI_Request *request)
{
    hetad_mpi_own_request(request);
    for (size_t i = hetad_mpi_state.receive_count; i-- > 0;) {
        struct hetad_mpi_receive *r = &hetad_mpi_state.receives[i];
        if (r->tangent != HETAD_MPI_BESIDE || r->request != MPI_REQUEST_NULL) {
            return;
        }
        r->request = *request;
    }
}

static void hetad_mpi_deliver(size_t number, const MPI_Status *status)
{
    struct hetad_mpi_receive *r = &hetad_mpi_state.receives[number];
    --hetad_mpi_state.waiting;
    if (r->tangent == HETAD_MPI_BESIDE) {
        hetad_mpi_check(MPI_Wait(&r->beside, MPI_STATUS_IGNORE));
        if (r->came != NULL) {
            r->came(r);
        }
        r->waiting = 0;
        return;
    }
    if (r->tangent == HETAD_MPI_THERE) {
        r->waiting = 0;
        return;
    }
    hetad_mpi_arrived(r, status);
    hetad_mpi_deliver_before(number);
    hetad_mpi_receive_tangent(r, r->cells.memory, r->cells.on_device);
}

static void hetad_mpi_deliver_all(MPI_Request request, const MPI_Status *status)
{
    for (size_t i = 0; i < hetad_mpi_state.receive_count; ++i) {
        struct hetad_mpi_receive *r = &hetad_mpi_state.receives[i];
        if (r->waiting && r->tangent && r->request == request) {
            hetad_mpi_deliver(i, status);
        }
    }
}

static int hetad_mpi_wait_tangent(MPI_Request *request, MPI_Status *status)
{
    MPI_Status own;
    MPI_Status *told = status == MPI_STATUS_IGNORE ? &own : status;
    const MPI_Request before = *request;
    hetad_mpi_check(MPI_Wait(request, told));
    hetad_mpi_deliver_all(before, told);
    return MPI_SUCCESS;
}

static int hetad_mpi_test_tangent(MPI_Request *request, int *done, MPI_Status *status)
{
    MPI_Status own;
    MPI_Status *told = status == MPI_STATUS_IGNORE ? &own : status;
    const MPI_Request before = *request;
    hetad_mpi_check(MPI_Test(request, done, told));
    if (*done) {
        hetad_mpi_deliver_all(before, told);
    }
    return MPI_SUCCESS;
}

// What several requests are before the library clears those that are done.
static const MPI_Request *hetad_mpi_before(int count, const MPI_Request *requests)
{
    hetad_mpi_state.before = (MPI_Request *)hetad_mpi_with_room(hetad_mpi_state.before, &hetad_mpi_state.before_room,
                                                                count, sizeof(MPI_Request));
    for (int i = 0; i < count; ++i) {
        hetad_mpi_state.before[i] = requests[i];
    }
    return hetad_mpi_state.before;
}

// The tangents of those that are done, in the order in which they were started; `which`: all, if NULL.
static int hetad_mpi_deliver_some(int done, const int *which, const MPI_Request *before, const MPI_Status *told)
{
    for (size_t i = 0; done > 0 && i < hetad_mpi_state.receive_count; ++i) {
        struct hetad_mpi_receive *r = &hetad_mpi_state.receives[i];
        for (int k = 0; k < done && r->waiting && r->tangent; ++k) {
            if (r->request == before[which != NULL ? which[k] : k]) {
                hetad_mpi_deliver(i, &told[k]);
            }
        }
    }
    return MPI_SUCCESS;
}

static int hetad_mpi_waitall_tangent(int count, MPI_Request *requests, MPI_Status *statuses)
{
    const MPI_Request *before = hetad_mpi_before(count, requests);
    MPI_Status *told = hetad_mpi_room_to_tell(count, statuses);
    hetad_mpi_check(MPI_Waitall(count, requests, told));
    return hetad_mpi_deliver_some(count, NULL, before, told);
}

static int hetad_mpi_testall_tangent(int count, MPI_Request *requests, int *done, MPI_Status *statuses)
{
    const MPI_Request *before = hetad_mpi_before(count, requests);
    MPI_Status *told = hetad_mpi_room_to_tell(count, statuses);
    hetad_mpi_check(MPI_Testall(count, requests, done, told));
    return hetad_mpi_deliver_some(*done ? count : 0, NULL, before, told);
}

static int hetad_mpi_waitsome_tangent(int count, MPI_Request *requests, int *many, int *which, MPI_Status *statuses)
{
    const MPI_Request *before = hetad_mpi_before(count, requests);
    MPI_Status *told = hetad_mpi_room_to_tell(count, statuses);
    hetad_mpi_check(MPI_Waitsome(count, requests, many, which, told));
    return hetad_mpi_deliver_some(*many == MPI_UNDEFINED ? 0 : *many, which, before, told);
}

static int hetad_mpi_testsome_tangent(int count, MPI_Request *requests, int *many, int *which, MPI_Status *statuses)
{
    const MPI_Request *before = hetad_mpi_before(count, requests);
    MPI_Status *told = hetad_mpi_room_to_tell(count, statuses);
    hetad_mpi_check(MPI_Testsome(count, requests, many, which, told));
    return hetad_mpi_deliver_some(*many == MPI_UNDEFINED ? 0 : *many, which, before, told);
}

static int hetad_mpi_waitany_tangent(int count, MPI_Request *requests, int *which, MPI_Status *status)
{
    const MPI_Request *before = hetad_mpi_before(count, requests);
    MPI_Status *told = hetad_mpi_room_to_tell(1, status);
    hetad_mpi_check(MPI_Waitany(count, requests, which, told));
    return hetad_mpi_deliver_some(*which != MPI_UNDEFINED, which, before, told);
}

static int hetad_mpi_testany_tangent(int count, MPI_Request *requests, int *which, int *done, MPI_Status *status)
{
    const MPI_Request *before = hetad_mpi_before(count, requests);
    MPI_Status *told = hetad_mpi_room_to_tell(1, status);
    hetad_mpi_check(MPI_Testany(count, requests, which, done, told));
    return hetad_mpi_deliver_some(*done && *which != MPI_UNDEFINED, which, before, told);
}
