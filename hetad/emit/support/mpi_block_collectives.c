// Collective operations with a block for each rank, reversed.
//
// One rank gets a block of each: each gets its own back.  In place, the block of that rank stays where it is.
static void hetad_mpi_gather_adjoint(struct hetad_mpi_collective *c)
{
    const int in_place = c->adj_from == MPI_IN_PLACE, here = hetad_mpi_rank(c->communicator) == c->root;
    c->element = hetad_mpi_element_in(c->adj_to, c->where_to, in_place || here ? c->block_type : c->type);
    if (c->element == MPI_DATATYPE_NULL) {
        return;
    }
    if (here) {
        c->taken = hetad_mpi_cut(hetad_mpi_some(c->adj_to, c->block, c->block_type, c->element, c->where_to), c->counts,
                                 c->places, c->communicator, in_place ? c->root : -1);
        c->values = hetad_mpi_take_blocks(&c->taken);
    }
    c->given = hetad_mpi_one(hetad_mpi_some(in_place ? NULL : c->adj_from, in_place ? 0 : c->count,
                                            in_place ? c->element : c->type, c->element, c->where_from));
    const int n = hetad_mpi_int(c->given.n);
    c->mine = hetad_mpi_room_for(c, c->given.n);
    if (c->starts) {
        hetad_mpi_check(MPI_Iscatterv(c->values, c->taken.numbers, c->taken.starts, c->element, c->mine, n, c->element,
                                      c->root, hetad_mpi_way(c), &c->request));
    } else {
        hetad_mpi_check(MPI_Scatterv(c->values, c->taken.numbers, c->taken.starts, c->element, c->mine, n, c->element,
                                     c->root, hetad_mpi_way(c)));
    }
}

static void hetad_mpi_gatherv_pullback(void *adj_from, int count, MPI_Datatype type, void *adj_to, const int *counts,
                                       const int *places, int block, MPI_Datatype block_type, int root,
                                       MPI_Comm communicator, int where_from, int where_to)
{
    struct hetad_mpi_collective c =
        hetad_mpi_block_operands(adj_from, NULL, NULL, count, type, adj_to, counts, places, block, block_type,
                                 communicator, where_from, where_to);
    c.root = root;
    hetad_mpi_at_once(hetad_mpi_gather_adjoint, c);
}

// Each gets a block of one rank: that gets them back.
static void hetad_mpi_scatter_adjoint(struct hetad_mpi_collective *c)
{
    const int in_place = c->adj_to == MPI_IN_PLACE, here = hetad_mpi_rank(c->communicator) == c->root;
    c->element = hetad_mpi_element_in(c->adj_from, c->where_from, in_place || here ? c->type : c->block_type);
    if (c->element == MPI_DATATYPE_NULL) {
        return;
    }
    const struct hetad_mpi_cells own =
        hetad_mpi_some(in_place ? NULL : c->adj_to, in_place ? 0 : c->block, in_place ? c->element : c->block_type,
                       c->element, c->where_to);
    const int n = hetad_mpi_int(hetad_mpi_length(&own));
    c->values = hetad_mpi_take(&own);
    if (here) {
        c->given = hetad_mpi_cut(hetad_mpi_some(c->adj_from, c->count, c->type, c->element, c->where_from), c->sent,
                                 c->sent_places, c->communicator, in_place ? c->root : -1);
        c->mine = hetad_mpi_room_for(c, c->given.n);
    }
    if (c->starts) {
        hetad_mpi_check(MPI_Igatherv(c->values, n, c->element, c->mine, c->given.numbers, c->given.starts, c->element,
                                     c->root, hetad_mpi_way(c), &c->request));
    } else {
        hetad_mpi_check(MPI_Gatherv(c->values, n, c->element, c->mine, c->given.numbers, c->given.starts, c->element,
                                    c->root, hetad_mpi_way(c)));
    }
}

static void hetad_mpi_scatterv_pullback(void *adj_from, const int *sent, const int *sent_places, int count,
                                        MPI_Datatype type, void *adj_to, int block, MPI_Datatype block_type, int root,
                                        MPI_Comm communicator, int where_from, int where_to)
{
    struct hetad_mpi_collective c =
        hetad_mpi_block_operands(adj_from, sent, sent_places, count, type, adj_to, NULL, NULL, block, block_type,
                                 communicator, where_from, where_to);
    c.root = root;
    hetad_mpi_at_once(hetad_mpi_scatter_adjoint, c);
}

// Each gets the blocks of all: the sum of what all have of its own comes back.
static void hetad_mpi_allgather_adjoint(struct hetad_mpi_collective *c)
{
    c->element = hetad_mpi_element_in(c->adj_to, c->where_to, c->block_type);
    if (c->element == MPI_DATATYPE_NULL) {
        return;
    }
    const int rank = hetad_mpi_rank(c->communicator);
    c->taken = hetad_mpi_cut(hetad_mpi_some(c->adj_to, c->block, c->block_type, c->element, c->where_to), c->counts,
                             c->places, c->communicator, -1);
    c->values = hetad_mpi_take_blocks(&c->taken);
    c->given = hetad_mpi_one(c->adj_from == MPI_IN_PLACE
                                 ? hetad_mpi_block(&c->taken, rank)
                                 : hetad_mpi_some(c->adj_from, c->count, c->type, c->element, c->where_from));
    c->mine = hetad_mpi_room_for(c, (size_t)c->taken.numbers[rank]);
    if (c->starts) {
        hetad_mpi_check(MPI_Ireduce_scatter(c->values, c->mine, c->taken.numbers, c->element, MPI_SUM, hetad_mpi_way(c),
                                            &c->request));
    } else {
        hetad_mpi_check(
            MPI_Reduce_scatter(c->values, c->mine, c->taken.numbers, c->element, MPI_SUM, hetad_mpi_way(c)));
    }
}

static void hetad_mpi_allgatherv_pullback(void *adj_from, int count, MPI_Datatype type, void *adj_to,
                                          const int *counts, const int *places, int block, MPI_Datatype block_type,
                                          MPI_Comm communicator, int where_from, int where_to)
{
    struct hetad_mpi_collective c =
        hetad_mpi_block_operands(adj_from, NULL, NULL, count, type, adj_to, counts, places, block, block_type,
                                 communicator, where_from, where_to);
    hetad_mpi_at_once(hetad_mpi_allgather_adjoint, c);
}

// Each gets a block of a sum: all get the blocks of all back.
static void hetad_mpi_reduce_scatter_adjoint(struct hetad_mpi_collective *c)
{
    c->element = hetad_mpi_element(c->type);
    hetad_mpi_only_sums(c->operation, c->element);
    if (c->element == MPI_DATATYPE_NULL) {
        return;
    }
    const int rank = hetad_mpi_rank(c->communicator);
    c->given = hetad_mpi_cut(hetad_mpi_source(c), c->counts, NULL, c->communicator, -1);
    const int n = c->given.numbers[rank];
    const struct hetad_mpi_cells own =
        hetad_mpi_some(c->adj_to, c->given.counts[rank], c->type, c->element, c->where_to);
    c->values = hetad_mpi_take(&own);
    if (c->adj_from == MPI_IN_PLACE) {  // what is not overwritten there means nothing any more
        free(hetad_mpi_take_blocks(&c->given));
    }
    c->mine = hetad_mpi_room_for(c, c->given.n);
    if (c->starts) {
        hetad_mpi_check(MPI_Iallgatherv(c->values, n, c->element, c->mine, c->given.numbers, c->given.starts,
                                        c->element, hetad_mpi_way(c), &c->request));
    } else {
        hetad_mpi_check(MPI_Allgatherv(c->values, n, c->element, c->mine, c->given.numbers, c->given.starts, c->element,
                                       hetad_mpi_way(c)));
    }
}

static void hetad_mpi_reduce_scatter_pullback(void *adj_from, void *adj_to, const int *counts, MPI_Datatype type,
                                              MPI_Op operation, MPI_Comm communicator, int where_from, int where_to)
{
    struct hetad_mpi_collective c = hetad_mpi_operands(adj_from, adj_to, 0, type, communicator, where_from, where_to);
    c.counts = counts;
    c.operation = operation;
    hetad_mpi_at_once(hetad_mpi_reduce_scatter_adjoint, c);
}

static void hetad_mpi_reduce_scatter_block_pullback(void *adj_from, void *adj_to, int count, MPI_Datatype type,
                                                    MPI_Op operation, MPI_Comm communicator, int where_from,
                                                    int where_to)
{
    struct hetad_mpi_collective c =
        hetad_mpi_operands(adj_from, adj_to, count, type, communicator, where_from, where_to);
    c.operation = operation;
    hetad_mpi_at_once(hetad_mpi_reduce_scatter_adjoint, c);
}

// Each gets a block of each: all come back the same way.
static void hetad_mpi_alltoall_adjoint(struct hetad_mpi_collective *c)
{
    c->element = hetad_mpi_element_in(c->adj_to, c->where_to, c->block_type);
    if (c->element == MPI_DATATYPE_NULL) {
        return;
    }
    const struct hetad_mpi_cells to = hetad_mpi_some(c->adj_to, c->block, c->block_type, c->element, c->where_to);
    c->taken = hetad_mpi_cut(to, c->counts, c->places, c->communicator, -1);
    c->given = c->adj_from == MPI_IN_PLACE
                   ? hetad_mpi_cut(to, c->counts, c->places, c->communicator, -1)
                   : hetad_mpi_cut(hetad_mpi_some(c->adj_from, c->count, c->type, c->element, c->where_from), c->sent,
                                   c->sent_places, c->communicator, -1);
    c->values = hetad_mpi_take_blocks(&c->taken);
    c->mine = hetad_mpi_room_for(c, c->given.n);
    if (c->starts) {
        hetad_mpi_check(MPI_Ialltoallv(c->values, c->taken.numbers, c->taken.starts, c->element, c->mine,
                                       c->given.numbers, c->given.starts, c->element, hetad_mpi_way(c), &c->request));
    } else {
        hetad_mpi_check(MPI_Alltoallv(c->values, c->taken.numbers, c->taken.starts, c->element, c->mine,
                                      c->given.numbers, c->given.starts, c->element, hetad_mpi_way(c)));
    }
}

static void hetad_mpi_alltoallv_pullback(void *adj_from, const int *sent, const int *sent_places, int count,
                                         MPI_Datatype type, void *adj_to, const int *counts, const int *places,
                                         int block, MPI_Datatype block_type, MPI_Comm communicator, int where_from,
                                         int where_to)
{
    struct hetad_mpi_collective c =
        hetad_mpi_block_operands(adj_from, sent, sent_places, count, type, adj_to, counts, places, block, block_type,
                                 communicator, where_from, where_to);
    hetad_mpi_at_once(hetad_mpi_alltoall_adjoint, c);
}

// The bytes that an operation overwrites, where that is not all that it is given.
static size_t hetad_mpi_bytes_at(int count, MPI_Datatype type, int root, MPI_Comm communicator)
{
    return hetad_mpi_rank(communicator) == root ? hetad_mpi_bytes(count, type) : 0;
}

static size_t hetad_mpi_bytes_unless(const void *in_place, int count, MPI_Datatype type)
{
    return in_place != MPI_IN_PLACE ? hetad_mpi_bytes(count, type) : 0;
}

static size_t hetad_mpi_bytes_of_all(int block, MPI_Datatype type, MPI_Comm communicator)
{
    return hetad_mpi_bytes(hetad_mpi_int((size_t)block * (size_t)hetad_mpi_size(communicator)), type);
}

static size_t hetad_mpi_bytes_of_all_at(int block, MPI_Datatype type, int root, MPI_Comm communicator)
{
    return hetad_mpi_rank(communicator) == root ? hetad_mpi_bytes_of_all(block, type, communicator) : 0;
}

static size_t hetad_mpi_bytes_of_blocks(const int *counts, const int *places, MPI_Datatype type, MPI_Comm communicator)
{
    return hetad_mpi_bytes_to_end(hetad_mpi_size(communicator), counts, places, type);
}

static size_t hetad_mpi_bytes_of_blocks_at(const int *counts, const int *places, MPI_Datatype type, int root,
                                           MPI_Comm communicator)
{
    return hetad_mpi_rank(communicator) == root ? hetad_mpi_bytes_of_blocks(counts, places, type, communicator) : 0;
}

// Of a sum that is scattered: this rank's block; in place all of them, which mean nothing afterwards.
static size_t hetad_mpi_bytes_of_sums(const void *from, const int *counts, MPI_Datatype type, MPI_Comm communicator)
{
    int all = 0;
    for (int i = 0; i < hetad_mpi_size(communicator); ++i) {
        all += counts[i];
    }
    return hetad_mpi_bytes(from == MPI_IN_PLACE ? all : counts[hetad_mpi_rank(communicator)], type);
}

static size_t hetad_mpi_bytes_of_sum(const void *from, int block, MPI_Datatype type, MPI_Comm communicator)
{
    return from == MPI_IN_PLACE ? hetad_mpi_bytes_of_all(block, type, communicator) : hetad_mpi_bytes(block, type);
}
