// Requests: what is started, and waited for or asked about later.
static int hetad_mpi_irecv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm communicator,
                           MPI_Request *request, void *adj, int where, int line)
{
    const size_t number = hetad_mpi_new_receive(adj, count, type, from, communicator, where);
    struct hetad_mpi_receive *r = &hetad_mpi_state.receives[number];
    hetad_mpi_check(MPI_Irecv(buffer, count, type, from, tag, communicator, request));
    r->request = *request;
    r->line = line;
    r->waiting = from != MPI_PROC_NULL;
    hetad_mpi_state.waiting += (size_t)r->waiting;
    return MPI_SUCCESS;
}

// The end of the forward sweep: the adjoint of a message that has not come could never go back.
static void hetad_mpi_all_waited(void)
{
    for (size_t i = 0; i < hetad_mpi_state.receive_count; ++i) {
        if (hetad_mpi_state.receives[i].waiting) {
            char text[120];
            snprintf(text, sizeof text, "the request of line %d is not waited for in the function",
                     hetad_mpi_state.receives[i].line);
            hetad_fail(text);
        }
    }
}

static void hetad_mpi_irecv_pullback(void *adj)
{
    (void)adj;  // whose address the forward sweep has left here
    --hetad_mpi_state.receive_count;
}

// The receive that a request stands for, or how many receives there are.
static size_t hetad_mpi_receive_of(MPI_Request request)
{
    size_t left = hetad_mpi_state.waiting;
    for (size_t i = hetad_mpi_state.receive_count; left > 0 && i-- > 0;) {
        if (hetad_mpi_state.receives[i].waiting) {
            if (hetad_mpi_state.receives[i].request == request) {
                return i;
            }
            --left;
        }
    }
    return hetad_mpi_state.receive_count;
}

// A receive is there: what the wait for it has told.
static size_t hetad_mpi_complete(size_t number, const MPI_Status *status)
{
    if (number >= hetad_mpi_state.receive_count) {
        return 0;
    }
    struct hetad_mpi_receive *r = &hetad_mpi_state.receives[number];
    hetad_mpi_arrived(r, status);
    if (r->came != NULL) {
        r->came(r);
    }
    --hetad_mpi_state.waiting;
    hetad_mpi_note_completed(number);
    return 1;
}

static int hetad_mpi_wait(MPI_Request *request, MPI_Status *status)
{
    MPI_Status own;
    MPI_Status *told = status == MPI_STATUS_IGNORE ? &own : status;
    const size_t number = hetad_mpi_receive_of(*request);
    hetad_mpi_check(MPI_Wait(request, told));
    hetad_mpi_note_completed(hetad_mpi_complete(number, told));
    return MPI_SUCCESS;
}

// Which receives several requests stand for.
static const size_t *hetad_mpi_looked_up(int count, const MPI_Request *requests)
{
    hetad_mpi_state.asked = (size_t *)hetad_mpi_with_room(hetad_mpi_state.asked, &hetad_mpi_state.asked_room, count,
                                                          sizeof(size_t));
    for (int i = 0; i < count; ++i) {
        hetad_mpi_state.asked[i] = hetad_mpi_receive_of(requests[i]);
    }
    return hetad_mpi_state.asked;
}

// `done` of them are, those that are named in `which`; all, if that is NULL.
static int hetad_mpi_some_complete(int done, const int *which, const size_t *numbers, const MPI_Status *told)
{
    size_t completed = 0;
    for (int i = 0; done != MPI_UNDEFINED && i < done; ++i) {
        completed += hetad_mpi_complete(numbers[which != NULL ? which[i] : i], &told[i]);
    }
    hetad_mpi_note_completed(completed);
    return MPI_SUCCESS;
}

static int hetad_mpi_waitall(int count, MPI_Request *requests, MPI_Status *statuses)
{
    const size_t *numbers = hetad_mpi_looked_up(count, requests);
    MPI_Status *told = hetad_mpi_room_to_tell(count, statuses);
    hetad_mpi_check(MPI_Waitall(count, requests, told));
    return hetad_mpi_some_complete(count, NULL, numbers, told);
}

static int hetad_mpi_testall(int count, MPI_Request *requests, int *done, MPI_Status *statuses)
{
    const size_t *numbers = hetad_mpi_looked_up(count, requests);
    MPI_Status *told = hetad_mpi_room_to_tell(count, statuses);
    hetad_mpi_check(MPI_Testall(count, requests, done, told));
    return hetad_mpi_some_complete(*done ? count : 0, NULL, numbers, told);
}

static int hetad_mpi_test(MPI_Request *request, int *done, MPI_Status *status)
{
    MPI_Status own;
    MPI_Status *told = status == MPI_STATUS_IGNORE ? &own : status;
    const size_t number = hetad_mpi_receive_of(*request);
    hetad_mpi_check(MPI_Test(request, done, told));
    hetad_mpi_note_completed(*done ? hetad_mpi_complete(number, told) : 0);
    return MPI_SUCCESS;
}

static int hetad_mpi_waitany(int count, MPI_Request *requests, int *which, MPI_Status *status)
{
    const size_t *numbers = hetad_mpi_looked_up(count, requests);
    MPI_Status *told = hetad_mpi_room_to_tell(1, status);
    hetad_mpi_check(MPI_Waitany(count, requests, which, told));
    return hetad_mpi_some_complete(*which != MPI_UNDEFINED, which, numbers, told);
}

static int hetad_mpi_testany(int count, MPI_Request *requests, int *which, int *done, MPI_Status *status)
{
    const size_t *numbers = hetad_mpi_looked_up(count, requests);
    MPI_Status *told = hetad_mpi_room_to_tell(1, status);
    hetad_mpi_check(MPI_Testany(count, requests, which, done, told));
    return hetad_mpi_some_complete(*done && *which != MPI_UNDEFINED, which, numbers, told);
}

static int hetad_mpi_waitsome(int count, MPI_Request *requests, int *many, int *which, MPI_Status *statuses)
{
    const size_t *numbers = hetad_mpi_looked_up(count, requests);
    MPI_Status *told = hetad_mpi_room_to_tell(count, statuses);
    hetad_mpi_check(MPI_Waitsome(count, requests, many, which, told));
    return hetad_mpi_some_complete(*many, which, numbers, told);
}

static int hetad_mpi_testsome(int count, MPI_Request *requests, int *many, int *which, MPI_Status *statuses)
{
    const size_t *numbers = hetad_mpi_looked_up(count, requests);
    MPI_Status *told = hetad_mpi_room_to_tell(count, statuses);
    hetad_mpi_check(MPI_Testsome(count, requests, many, which, told));
    return hetad_mpi_some_complete(*many, which, numbers, told);
}

// Undoes a wait: the adjoints of what it has received go back.
static void hetad_mpi_wait_pullback(void)
{
    size_t count = hetad_mpi_state.completed[--hetad_mpi_state.completed_count];
    while (count-- > 0) {
        hetad_mpi_take_receive(hetad_mpi_state.completed[--hetad_mpi_state.completed_count]);
    }
}
