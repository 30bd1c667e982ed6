// Messages, reversed.  The adjoint of a receive is sent to where the message came from, that of a send is received.
// Nothing waits for a receiver: adjoints are sent in a copy of their own.  So the reverse sweep waits for a message only
// where the forward sweep sent one, in the opposite order of all of them, and ends as that did.
//
// From one rank to another, along one tag, messages do not overtake each other, and neither must their adjoints: they
// go in the opposite order of the receives, whatever the order in which these are waited for.
struct hetad_mpi_posted {
    void *values;
    MPI_Request request;
};

// A receive: from where, and where to.  `waiting`: until the program waits for `request`; `taken`: adjoints to be sent;
// `tangent`: of one whose tangent is to come, or has come before the program has waited for it, or comes by a request
// `beside`.  Of an operation of all ranks, which is no receive, `collective` knows more: what is done when the program
// has waited for it, and when that is undone.  Of a request that is started again and again: what a start overwrites,
// or that it sends, and to which rank.
enum { HETAD_MPI_AWAITED = 1, HETAD_MPI_THERE, HETAD_MPI_BESIDE };
struct hetad_mpi_receive {
    struct hetad_mpi_cells cells;
    MPI_Comm communicator;
    MPI_Request request, beside;
    int from, tag, numbers;
    int waiting, tangent, line;
    void *taken, *collective;
    void *memory;
    size_t bytes;
    int sends, to;
    void (*came)(struct hetad_mpi_receive *r);
    void (*undone)(struct hetad_mpi_receive *r);
};

struct hetad_mpi_messages {
    struct hetad_mpi_posted *posts;
    size_t post_count, post_room;
    struct hetad_mpi_receive *receives;  // of the forward sweep, in its order
    size_t receive_count, receive_room;
    size_t *completed;                   // by each wait: the numbers of its receives, then how many there are
    size_t completed_count, completed_room;
    size_t waiting;                      // how many receives are
    size_t *asked;                       // of several requests: their receives, or what they were, and what is told of
    MPI_Request *before;                 // each; kept, for a program may ask very often
    MPI_Status *told;
    size_t asked_room, before_room, told_room;
    int64_t sent, received;              // of a program with time loops in which ranks meet: messages
};

static struct hetad_mpi_messages hetad_mpi_state;

static void *hetad_mpi_with_room(void *array, size_t *room, int count, size_t size)
{
    while (count > 0 && *room < (size_t)count) {
        array = hetad_mpi_grown(array, room, size);
    }
    return array;
}

static MPI_Status *hetad_mpi_room_to_tell(int count, MPI_Status *statuses)
{
    if (statuses != MPI_STATUSES_IGNORE) {
        return statuses;
    }
    hetad_mpi_state.told = (MPI_Status *)hetad_mpi_with_room(hetad_mpi_state.told, &hetad_mpi_state.told_room, count,
                                                             sizeof(MPI_Status));
    return hetad_mpi_state.told;
}

static void hetad_mpi_note_completed(size_t number)
{
    if (hetad_mpi_state.completed_count == hetad_mpi_state.completed_room) {
        hetad_mpi_state.completed = (size_t *)hetad_mpi_grown(hetad_mpi_state.completed,
                                                              &hetad_mpi_state.completed_room, sizeof(size_t));
    }
    hetad_mpi_state.completed[hetad_mpi_state.completed_count++] = number;
}

// Sends `values`, which are freed once they have gone.
static void hetad_mpi_post(void *values, int n, MPI_Datatype element, int to, int tag, MPI_Comm communicator)
{
    size_t left = 0;
    for (size_t i = 0; i < hetad_mpi_state.post_count; ++i) {
        int gone = 0;
        hetad_mpi_check(MPI_Test(&hetad_mpi_state.posts[i].request, &gone, MPI_STATUS_IGNORE));
        if (gone) {
            free(hetad_mpi_state.posts[i].values);
        } else {
            hetad_mpi_state.posts[left++] = hetad_mpi_state.posts[i];
        }
    }
    hetad_mpi_state.post_count = left;
    if (left == hetad_mpi_state.post_room) {
        hetad_mpi_state.posts = (struct hetad_mpi_posted *)hetad_mpi_grown(
            hetad_mpi_state.posts, &hetad_mpi_state.post_room, sizeof *hetad_mpi_state.posts);
    }
    struct hetad_mpi_posted *post = &hetad_mpi_state.posts[hetad_mpi_state.post_count++];
    post->values = values;
    hetad_mpi_check(MPI_Isend(values, n, element, to, tag, hetad_mpi_beside(communicator), &post->request));
}

// The end of the reverse sweep: all adjoints have gone.
static void hetad_mpi_done(void)
{
    for (size_t i = 0; i < hetad_mpi_state.post_count; ++i) {
        hetad_mpi_check(MPI_Wait(&hetad_mpi_state.posts[i].request, MPI_STATUS_IGNORE));
        free(hetad_mpi_state.posts[i].values);
    }
    hetad_mpi_state.post_count = 0;
    hetad_mpi_free_now();
}

// What a call left that stopped half-way.
static void hetad_mpi_forget(void)
{
    hetad_mpi_state.post_count = 0;
    hetad_mpi_state.receive_count = hetad_mpi_state.completed_count = hetad_mpi_state.waiting = 0;
    hetad_mpi_state.sent = hetad_mpi_state.received = 0;
}

// The adjoints of elements that were sent to a rank come from there.
static void hetad_mpi_returned(const struct hetad_mpi_cells *c, int peer, int tag, MPI_Comm communicator)
{
    if (peer == MPI_PROC_NULL) {
        return;
    }
    const size_t n = hetad_mpi_length(c);
    void *values = hetad_mpi_room(n * hetad_mpi_width(c->element));
    hetad_mpi_check(MPI_Recv(values, hetad_mpi_int(n), c->element, peer, tag, hetad_mpi_beside(communicator),
                             MPI_STATUS_IGNORE));
    hetad_mpi_give(c, values);
    free(values);
}

static void hetad_mpi_send_pullback(void *adj, int count, MPI_Datatype type, int peer, int tag, MPI_Comm communicator,
                                    int where)
{
    const MPI_Datatype element = hetad_mpi_element_in(adj, where, type);
    if (element != MPI_DATATYPE_NULL) {
        const struct hetad_mpi_cells cells = hetad_mpi_some(adj, count, type, element, where);
        hetad_mpi_returned(&cells, peer, tag, communicator);
    }
}

// -- receives

static struct hetad_mpi_receive *hetad_mpi_new_entry(void)
{
    if (hetad_mpi_state.receive_count == hetad_mpi_state.receive_room) {
        hetad_mpi_state.receives = (struct hetad_mpi_receive *)hetad_mpi_grown(
            hetad_mpi_state.receives, &hetad_mpi_state.receive_room, sizeof *hetad_mpi_state.receives);
    }
    struct hetad_mpi_receive *r = &hetad_mpi_state.receives[hetad_mpi_state.receive_count++];
    memset(r, 0, sizeof *r);
    r->from = MPI_PROC_NULL;
    return r;
}

static size_t hetad_mpi_new_receive(void *adj, int count, MPI_Datatype type, int from, MPI_Comm communicator,
                                    int where)
{
    struct hetad_mpi_receive *r = hetad_mpi_new_entry();
    r->cells = hetad_mpi_some(adj, count, type, hetad_mpi_element_in(adj, where, type), where);
    r->communicator = communicator;
    r->from = from;
    return hetad_mpi_state.receive_count - 1;
}

// How much a message has, which was received as elements of `type`: less than there is room for, perhaps.
static void hetad_mpi_count(struct hetad_mpi_receive *r, const MPI_Status *status, MPI_Datatype type)
{
    const size_t each = r->cells.each;
    int elements;
    hetad_mpi_check(MPI_Get_count(status, type, &elements));
    const int whole = elements != MPI_UNDEFINED && (type == r->cells.type || (size_t)elements % each == 0);
    if (!whole) {
        hetad_fail("a message that fills only a part of its type has no derivative: receive as many elements as are "
                   "sent");
    }
    r->cells.count = type == r->cells.type ? elements : hetad_mpi_int((size_t)elements / each);
    r->numbers = hetad_mpi_int(hetad_mpi_length(&r->cells));
}

// Where the message came from, now that it is there.
static void hetad_mpi_arrived(struct hetad_mpi_receive *r, const MPI_Status *status)
{
    r->waiting = 0;
    hetad_mpi_state.received += r->from != MPI_PROC_NULL;
    if (r->from == MPI_PROC_NULL || r->cells.element == MPI_DATATYPE_NULL) {
        return;
    }
    r->from = status->MPI_SOURCE;
    r->tag = status->MPI_TAG;
    hetad_mpi_count(r, status, r->cells.type);
}

static int hetad_mpi_has_adjoint(const struct hetad_mpi_receive *r)
{
    return r->from != MPI_PROC_NULL && r->cells.element != MPI_DATATYPE_NULL;
}

static int hetad_mpi_same_way(const struct hetad_mpi_receive *a, const struct hetad_mpi_receive *b)
{
    return hetad_mpi_has_adjoint(b) && a->from == b->from && a->tag == b->tag && a->communicator == b->communicator;
}

// Whether the adjoint of a later receive along the same way has still to go.
static int hetad_mpi_must_stay(size_t number)
{
    const struct hetad_mpi_receive *r = &hetad_mpi_state.receives[number];
    for (size_t i = number + 1; i < hetad_mpi_state.receive_count; ++i) {
        const struct hetad_mpi_receive *later = &hetad_mpi_state.receives[i];
        if (hetad_mpi_same_way(r, later) && later->from != MPI_PROC_NULL) {
            return 1;
        }
    }
    return 0;
}

// Sends what has been taken, and what has only waited for that.
static void hetad_mpi_send_taken(size_t number)
{
    struct hetad_mpi_receive *r = &hetad_mpi_state.receives[number];
    if (r->taken == NULL || hetad_mpi_must_stay(number)) {
        return;
    }
    const int from = r->from;
    hetad_mpi_post(r->taken, r->numbers, r->cells.element, from, r->tag, r->communicator);
    r->taken = NULL;
    for (size_t i = number; i-- > 0;) {
        struct hetad_mpi_receive *earlier = &hetad_mpi_state.receives[i];
        if (earlier->taken != NULL && hetad_mpi_same_way(earlier, r)) {
            r->from = MPI_PROC_NULL;  // it has gone
            hetad_mpi_send_taken(i);
            return;
        }
    }
    r->from = MPI_PROC_NULL;
}

static void hetad_mpi_take_receive(size_t number)
{
    struct hetad_mpi_receive *r = &hetad_mpi_state.receives[number];
    if (r->undone != NULL) {
        r->undone(r);
    }
    if (hetad_mpi_has_adjoint(r)) {
        r->taken = hetad_mpi_take(&r->cells);
        hetad_mpi_send_taken(number);
    }
}

static int hetad_mpi_recv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm communicator,
                          MPI_Status *status, void *adj, int where)
{
    MPI_Status own;
    MPI_Status *told = status == MPI_STATUS_IGNORE ? &own : status;
    const size_t number = hetad_mpi_new_receive(adj, count, type, from, communicator, where);
    hetad_mpi_check(MPI_Recv(buffer, count, type, from, tag, communicator, told));
    hetad_mpi_arrived(&hetad_mpi_state.receives[number], told);
    return MPI_SUCCESS;
}

static void hetad_mpi_recv_pullback(void *adj)
{
    (void)adj;  // whose address the forward sweep has left here
    hetad_mpi_take_receive(hetad_mpi_state.receive_count - 1);
    --hetad_mpi_state.receive_count;
}

static int hetad_mpi_sendrecv(const void *sent, int count, MPI_Datatype type, int to, int tag, void *buffer, int block,
                              MPI_Datatype block_type, int from, int from_tag, MPI_Comm communicator,
                              MPI_Status *status, void *adj, int where)
{
    MPI_Status own;
    MPI_Status *told = status == MPI_STATUS_IGNORE ? &own : status;
    const size_t number = hetad_mpi_new_receive(adj, block, block_type, from, communicator, where);
    hetad_mpi_check(MPI_Sendrecv(sent, count, type, to, tag, buffer, block, block_type, from, from_tag, communicator,
                                 told));
    hetad_mpi_arrived(&hetad_mpi_state.receives[number], told);
    return MPI_SUCCESS;
}

static void hetad_mpi_sendrecv_pullback(void *adj_sent, void *adj, int count, MPI_Datatype type, int to, int tag,
                                        MPI_Comm communicator, int where)
{
    hetad_mpi_recv_pullback(adj);
    hetad_mpi_send_pullback(adj_sent, count, type, to, tag, communicator, where);
}

static int hetad_mpi_sendrecv_replace(void *buffer, int count, MPI_Datatype type, int to, int tag, int from,
                                      int from_tag, MPI_Comm communicator, MPI_Status *status, void *adj, int where)
{
    MPI_Status own;
    MPI_Status *told = status == MPI_STATUS_IGNORE ? &own : status;
    const size_t number = hetad_mpi_new_receive(adj, count, type, from, communicator, where);
    hetad_mpi_check(MPI_Sendrecv_replace(buffer, count, type, to, tag, from, from_tag, communicator, told));
    hetad_mpi_arrived(&hetad_mpi_state.receives[number], told);
    return MPI_SUCCESS;
}

static void hetad_mpi_sendrecv_replace_pullback(void *adj, int count, MPI_Datatype type, int to, int tag,
                                                MPI_Comm communicator, int where)
{
    hetad_mpi_sendrecv_pullback(adj, adj, count, type, to, tag, communicator, where);
}
