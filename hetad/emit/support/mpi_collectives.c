// Collective operations, reversed: what one gives to all comes back as a sum, what all give to one comes back to each.
//
// The arguments of one, and the adjoints of its memory; what it does not have is zero.  `adjoint` begins its adjoint:
// it takes the adjoints of what was received, and says to which memory, `given`, those of `mine` are to be added.
// Where the program does not wait for the operation at once, neither does the adjoint: `mine` is there after `request`.
struct hetad_mpi_collective {
    void (*adjoint)(struct hetad_mpi_collective *c);
    void *adj_from, *adj_to;
    int where_from, where_to;
    const int *sent, *sent_places, *counts, *places;
    int count, block, root;
    MPI_Datatype type, block_type;
    MPI_Op operation;
    MPI_Comm communicator;
    MPI_Datatype element;
    struct hetad_mpi_blocks taken, given;
    void *values, *mine;
    double *weights;  // where it is no sum
    int starts, ready, begun;
    MPI_Request request;
};
typedef void (*hetad_mpi_adjoint)(struct hetad_mpi_collective *c);

static struct hetad_mpi_collective hetad_mpi_operands(void *adj_from, void *adj_to, int count, MPI_Datatype type,
                                                      MPI_Comm communicator, int where_from, int where_to)
{
    struct hetad_mpi_collective c;
    memset(&c, 0, sizeof c);
    c.adj_from = adj_from;
    c.adj_to = adj_to;
    c.count = c.block = count;
    c.type = c.block_type = type;
    c.communicator = communicator;
    c.where_from = where_from;
    c.where_to = where_to;
    return c;
}

// Of an operation with a block for each rank, or each neighbour: of different lengths, or (NULL) of equal ones.
static struct hetad_mpi_collective hetad_mpi_block_operands(void *adj_from, const int *sent, const int *sent_places,
                                                            int count, MPI_Datatype type, void *adj_to,
                                                            const int *counts, const int *places, int block,
                                                            MPI_Datatype block_type, MPI_Comm communicator,
                                                            int where_from, int where_to)
{
    struct hetad_mpi_collective c =
        hetad_mpi_operands(adj_from, adj_to, count, type, communicator, where_from, where_to);
    c.sent = sent;
    c.sent_places = sent_places;
    c.counts = counts;
    c.places = places;
    c.block = block;
    c.block_type = block_type;
    return c;
}

// Along which its adjoint goes: those that start have one of their own, where none that is waited for comes between.
static MPI_Comm hetad_mpi_way(const struct hetad_mpi_collective *c)
{
    const MPI_Comm beside = hetad_mpi_beside(c->communicator);
    return c->starts ? hetad_mpi_beside(beside) : beside;
}

static void *hetad_mpi_room_for(const struct hetad_mpi_collective *c, size_t n)
{
    return hetad_mpi_room(n * hetad_mpi_width(c->element));
}

// Adjoints that have come are added.
static void hetad_mpi_end(struct hetad_mpi_collective *c)
{
    if (c->element != MPI_DATATYPE_NULL) {
        if (c->starts) {
            hetad_mpi_check(MPI_Wait(&c->request, MPI_STATUS_IGNORE));
        }
        if (c->given.counts != NULL) {
            hetad_mpi_apply_weights(c->weights, c->mine, c->given.n, c->element);
            hetad_mpi_give_blocks(&c->given, c->mine);
        }
    }
    free(c->mine);
    free(c->values);
    free(c->weights);
    c->weights = NULL;
    free(c->taken.counts);
    free(c->given.counts);
}

static void hetad_mpi_at_once(hetad_mpi_adjoint adjoint, struct hetad_mpi_collective c)
{
    adjoint(&c);
    hetad_mpi_end(&c);
}

// The adjoints of what this rank gives: of what it gets, where the operation is in place.
static struct hetad_mpi_cells hetad_mpi_source(const struct hetad_mpi_collective *c)
{
    const int in_place = c->adj_from == MPI_IN_PLACE;
    return hetad_mpi_some(in_place ? c->adj_to : c->adj_from, c->count, c->type, c->element,
                          in_place ? c->where_to : c->where_from);
}

static void hetad_mpi_bcast_adjoint(struct hetad_mpi_collective *c)
{
    c->element = hetad_mpi_element_in(c->adj_to, c->where_to, c->type);
    if (c->element == MPI_DATATYPE_NULL) {
        return;
    }
    const struct hetad_mpi_cells cells = hetad_mpi_some(c->adj_to, c->count, c->type, c->element, c->where_to);
    const int here = hetad_mpi_rank(c->communicator) == c->root, n = hetad_mpi_int(hetad_mpi_length(&cells));
    c->mine = hetad_mpi_take(&cells);
    if (here) {
        c->given = hetad_mpi_one(cells);
    }
    const void *sent = here ? MPI_IN_PLACE : c->mine;
    if (c->starts) {
        hetad_mpi_check(MPI_Ireduce(sent, c->mine, n, c->element, MPI_SUM, c->root, hetad_mpi_way(c), &c->request));
    } else {
        hetad_mpi_check(MPI_Reduce(sent, c->mine, n, c->element, MPI_SUM, c->root, hetad_mpi_way(c)));
    }
}

static void hetad_mpi_bcast_pullback(void *adj, int count, MPI_Datatype type, int root, MPI_Comm communicator,
                                     int where)
{
    struct hetad_mpi_collective c = hetad_mpi_operands(NULL, adj, count, type, communicator, 0, where);
    c.root = root;
    hetad_mpi_at_once(hetad_mpi_bcast_adjoint, c);
}

static int hetad_mpi_reduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op operation, int root,
                            MPI_Comm communicator, int where_from, int where_to)
{
    const int in_place = from == MPI_IN_PLACE;
    hetad_mpi_weigh(in_place ? to : from, count, type, operation, communicator,
                    in_place ? where_to : where_from);
    hetad_mpi_check(MPI_Reduce(from, to, count, type, operation, root, communicator));
    return MPI_SUCCESS;
}

static int hetad_mpi_allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op operation,
                               MPI_Comm communicator, int where_from, int where_to)
{
    const int in_place = from == MPI_IN_PLACE;
    hetad_mpi_weigh(in_place ? to : from, count, type, operation, communicator,
                    in_place ? where_to : where_from);
    hetad_mpi_check(MPI_Allreduce(from, to, count, type, operation, communicator));
    return MPI_SUCCESS;
}

static void hetad_mpi_reduce_adjoint(struct hetad_mpi_collective *c)
{
    c->element = hetad_mpi_element(c->type);
    if (c->element == MPI_DATATYPE_NULL) {
        return;
    }
    const struct hetad_mpi_cells to = hetad_mpi_some(c->adj_to, c->count, c->type, c->element, c->where_to);
    const int n = hetad_mpi_int(hetad_mpi_length(&to));
    c->mine = hetad_mpi_room_for(c, (size_t)n);
    c->given = hetad_mpi_one(hetad_mpi_source(c));
    if (hetad_mpi_rank(c->communicator) == c->root) {
        hetad_mpi_take_to(&to, c->mine);
    }
    if (c->starts) {
        hetad_mpi_check(MPI_Ibcast(c->mine, n, c->element, c->root, hetad_mpi_way(c), &c->request));
    } else {
        hetad_mpi_check(MPI_Bcast(c->mine, n, c->element, c->root, hetad_mpi_way(c)));
    }
}

static void hetad_mpi_allreduce_adjoint(struct hetad_mpi_collective *c)
{
    c->element = hetad_mpi_element(c->type);
    if (c->element == MPI_DATATYPE_NULL) {
        return;
    }
    const struct hetad_mpi_cells to = hetad_mpi_some(c->adj_to, c->count, c->type, c->element, c->where_to);
    const int n = hetad_mpi_int(hetad_mpi_length(&to));
    c->mine = hetad_mpi_take(&to);
    c->given = hetad_mpi_one(hetad_mpi_source(c));
    if (c->starts) {
        hetad_mpi_check(MPI_Iallreduce(MPI_IN_PLACE, c->mine, n, c->element, MPI_SUM, hetad_mpi_way(c), &c->request));
    } else {
        hetad_mpi_check(MPI_Allreduce(MPI_IN_PLACE, c->mine, n, c->element, MPI_SUM, hetad_mpi_way(c)));
    }
}

static void hetad_mpi_reduce_pullback(void *adj_from, void *adj_to, int count, MPI_Datatype type, MPI_Op operation,
                                      int root, MPI_Comm communicator, int where_from, int where_to)
{
    struct hetad_mpi_collective c =
        hetad_mpi_operands(adj_from, adj_to, count, type, communicator, where_from, where_to);
    c.root = root;
    c.weights = hetad_mpi_last_weights(operation, hetad_mpi_element(type));
    hetad_mpi_at_once(hetad_mpi_reduce_adjoint, c);
}

static void hetad_mpi_allreduce_pullback(void *adj_from, void *adj_to, int count, MPI_Datatype type, MPI_Op operation,
                                         MPI_Comm communicator, int where_from, int where_to)
{
    struct hetad_mpi_collective c =
        hetad_mpi_operands(adj_from, adj_to, count, type, communicator, where_from, where_to);
    c.weights = hetad_mpi_last_weights(operation, hetad_mpi_element(type));
    hetad_mpi_at_once(hetad_mpi_allreduce_adjoint, c);
}

// The sums over this rank and those before it, reversed: over this rank and those behind it, which are the same sums
// where the ranks are numbered backwards.
static void hetad_mpi_sum_backwards(struct hetad_mpi_collective *c, int n, int exclusive)
{
    const int rank = hetad_mpi_rank(c->communicator), last = hetad_mpi_size(c->communicator) - 1;
    MPI_Comm backwards;
    hetad_mpi_check(MPI_Comm_split(hetad_mpi_way(c), 0, last - rank, &backwards));
    c->mine = hetad_mpi_room_for(c, (size_t)n);
    hetad_mpi_check((exclusive ? MPI_Exscan : MPI_Scan)(c->values, c->mine, n, c->element, MPI_SUM, backwards));
    hetad_mpi_check(MPI_Comm_free(&backwards));
    if (exclusive && rank == last) {  // of which nothing is said
        memset(c->mine, 0, (size_t)n * hetad_mpi_width(c->element));
    }
}

// The same where no rank may wait for others, so that none can be numbered anew: each gives its part of all the sums.
static void hetad_mpi_start_sums_backwards(struct hetad_mpi_collective *c, int n, int exclusive)
{
    const int rank = hetad_mpi_rank(c->communicator), size = hetad_mpi_size(c->communicator);
    const size_t bytes = (size_t)n * hetad_mpi_width(c->element);
    void *own = c->values;
    c->values = hetad_mpi_room(bytes * (size_t)size);
    for (int r = 0; r < rank + !exclusive; ++r) {
        memcpy((char *)c->values + bytes * (size_t)r, own, bytes);
    }
    free(own);
    c->mine = hetad_mpi_room(bytes);
    hetad_mpi_check(MPI_Ireduce_scatter_block(c->values, c->mine, n, c->element, MPI_SUM, hetad_mpi_way(c),
                                              &c->request));
}

static void hetad_mpi_scanned(struct hetad_mpi_collective *c, int exclusive)
{
    c->element = hetad_mpi_element(c->type);
    hetad_mpi_only_sums(c->operation, c->element);
    if (c->element == MPI_DATATYPE_NULL) {
        return;
    }
    const struct hetad_mpi_cells to = hetad_mpi_some(c->adj_to, c->count, c->type, c->element, c->where_to);
    const int n = hetad_mpi_int(hetad_mpi_length(&to));
    c->given = hetad_mpi_one(hetad_mpi_source(c));
    c->values = hetad_mpi_room_for(c, (size_t)n);
    if (!exclusive || hetad_mpi_rank(c->communicator) > 0) {  // the first rank has no exclusive sum
        hetad_mpi_take_to(&to, c->values);
    }
    if (c->starts) {
        hetad_mpi_start_sums_backwards(c, n, exclusive);
    } else {
        hetad_mpi_sum_backwards(c, n, exclusive);
    }
}

static void hetad_mpi_scan_adjoint(struct hetad_mpi_collective *c)
{
    hetad_mpi_scanned(c, 0);
}

static void hetad_mpi_exscan_adjoint(struct hetad_mpi_collective *c)
{
    hetad_mpi_scanned(c, 1);
}

static void hetad_mpi_scan_pullback(void *adj_from, void *adj_to, int count, MPI_Datatype type, MPI_Op operation,
                                    MPI_Comm communicator, int where_from, int where_to)
{
    struct hetad_mpi_collective c =
        hetad_mpi_operands(adj_from, adj_to, count, type, communicator, where_from, where_to);
    c.operation = operation;
    hetad_mpi_at_once(hetad_mpi_scan_adjoint, c);
}

static void hetad_mpi_exscan_pullback(void *adj_from, void *adj_to, int count, MPI_Datatype type, MPI_Op operation,
                                      MPI_Comm communicator, int where_from, int where_to)
{
    struct hetad_mpi_collective c =
        hetad_mpi_operands(adj_from, adj_to, count, type, communicator, where_from, where_to);
    c.operation = operation;
    hetad_mpi_at_once(hetad_mpi_exscan_adjoint, c);
}
