// Collective operations with a block for each rank, reversed.
//
// A block for each rank, `places` extents of the type from the start, or one behind the other; `numbers` and `starts`:
// the same, counted in numbers that lie one behind the other.  `but`: a rank whose block is none.
struct hetad_mpi_blocks {
    struct hetad_mpi_cells whole;
    size_t extent;
    int size, but;
    int *counts, *places, *numbers, *starts;
    size_t n;
};

static struct hetad_mpi_blocks hetad_mpi_cut(struct hetad_mpi_cells whole, const int *counts, const int *places,
                                             MPI_Comm communicator, int but)
{
    struct hetad_mpi_blocks b;
    b.whole = whole;
    b.size = hetad_mpi_size(communicator);
    b.but = but;
    b.extent = hetad_mpi_extent(whole.type);
    b.counts = (int *)hetad_mpi_room(4 * (size_t)b.size * sizeof(int));
    b.places = b.counts + b.size;
    b.numbers = b.places + b.size;
    b.starts = b.numbers + b.size;
    b.n = 0;
    for (int i = 0; i < b.size; ++i) {
        b.counts[i] = i == but ? 0 : counts != NULL ? counts[i] : whole.count;
        b.places[i] = places != NULL ? places[i]
                      : i == 0       ? 0
                                     : b.places[i - 1] + (counts != NULL ? counts[i - 1] : whole.count);
        b.numbers[i] = hetad_mpi_int(hetad_mpi_numbers(b.counts[i], whole.type, whole.element));
        b.starts[i] = hetad_mpi_int(b.n);
        b.n += (size_t)b.numbers[i];
    }
    return b;
}

static struct hetad_mpi_cells hetad_mpi_block(const struct hetad_mpi_blocks *b, int i)
{
    char *start = b->whole.memory == NULL ? NULL : b->whole.memory + (ptrdiff_t)b->extent * b->places[i];
    return hetad_mpi_some(start, b->counts[i], b->whole.type, b->whole.element, b->whole.on_device);
}

static char *hetad_mpi_number(const struct hetad_mpi_blocks *b, void *values, int i)
{
    return (char *)values + (size_t)b->starts[i] * hetad_mpi_width(b->whole.element);
}

static void *hetad_mpi_take_blocks(const struct hetad_mpi_blocks *b)
{
    void *values = hetad_mpi_room(b->n * hetad_mpi_width(b->whole.element));
    for (int i = 0; i < b->size; ++i) {
        const struct hetad_mpi_cells cells = hetad_mpi_block(b, i);
        hetad_mpi_take_to(&cells, hetad_mpi_number(b, values, i));
    }
    return values;
}

static void hetad_mpi_give_blocks(const struct hetad_mpi_blocks *b, void *values)
{
    for (int i = 0; i < b->size; ++i) {
        const struct hetad_mpi_cells cells = hetad_mpi_block(b, i);
        hetad_mpi_give(&cells, hetad_mpi_number(b, values, i));
    }
}

// One rank gets a block of each: each gets its own back.  In place, the block of that rank stays where it is.
static void hetad_mpi_gatherv_pullback(void *adj_from, int count, MPI_Datatype type, void *adj_to, const int *counts,
                                       const int *places, int block, MPI_Datatype block_type, int root,
                                       MPI_Comm communicator, int where_from, int where_to)
{
    const int rank = hetad_mpi_rank(communicator), in_place = adj_from == MPI_IN_PLACE, here = rank == root;
    const MPI_Datatype element = hetad_mpi_element_in(adj_to, where_to, in_place || here ? block_type : type);
    if (element == MPI_DATATYPE_NULL) {
        return;
    }
    struct hetad_mpi_blocks b;
    memset(&b, 0, sizeof b);
    void *values = NULL;
    if (here) {
        b = hetad_mpi_cut(hetad_mpi_some(adj_to, block, block_type, element, where_to), counts, places,
                          communicator, in_place ? root : -1);
        values = hetad_mpi_take_blocks(&b);
    }
    const struct hetad_mpi_cells own =
        hetad_mpi_some(in_place ? NULL : adj_from, in_place ? 0 : count, in_place ? element : type, element,
                       where_from);
    const size_t n = hetad_mpi_length(&own);
    void *mine = hetad_mpi_room(n * hetad_mpi_width(element));
    hetad_mpi_check(MPI_Scatterv(values, b.numbers, b.starts, element, mine, hetad_mpi_int(n), element, root,
                                 hetad_mpi_beside(communicator)));
    hetad_mpi_give(&own, mine);
    free(mine);
    free(values);
    free(b.counts);
}

static void hetad_mpi_gather_pullback(void *adj_from, int count, MPI_Datatype type, void *adj_to, int block,
                                      MPI_Datatype block_type, int root, MPI_Comm communicator, int where_from,
                                      int where_to)
{
    hetad_mpi_gatherv_pullback(adj_from, count, type, adj_to, NULL, NULL, block, block_type, root, communicator,
                               where_from, where_to);
}

// Each gets a block of one rank: that gets them back.
static void hetad_mpi_scatterv_pullback(void *adj_from, const int *counts, const int *places, int count,
                                        MPI_Datatype type, void *adj_to, int block, MPI_Datatype block_type, int root,
                                        MPI_Comm communicator, int where_from, int where_to)
{
    const int rank = hetad_mpi_rank(communicator), in_place = adj_to == MPI_IN_PLACE, here = rank == root;
    const MPI_Datatype element = hetad_mpi_element_in(adj_from, where_from, in_place || here ? type : block_type);
    if (element == MPI_DATATYPE_NULL) {
        return;
    }
    const struct hetad_mpi_cells own = hetad_mpi_some(in_place ? NULL : adj_to, in_place ? 0 : block,
                                                      in_place ? element : block_type, element, where_to);
    const int n = hetad_mpi_int(hetad_mpi_length(&own));
    void *mine = hetad_mpi_take(&own), *values = NULL;
    struct hetad_mpi_blocks b;
    memset(&b, 0, sizeof b);
    if (here) {
        b = hetad_mpi_cut(hetad_mpi_some(adj_from, count, type, element, where_from), counts, places, communicator,
                          in_place ? root : -1);
        values = hetad_mpi_room(b.n * hetad_mpi_width(element));
    }
    hetad_mpi_check(MPI_Gatherv(mine, n, element, values, b.numbers, b.starts, element, root,
                                hetad_mpi_beside(communicator)));
    if (here) {
        hetad_mpi_give_blocks(&b, values);
    }
    free(mine);
    free(values);
    free(b.counts);
}

static void hetad_mpi_scatter_pullback(void *adj_from, int count, MPI_Datatype type, void *adj_to, int block,
                                       MPI_Datatype block_type, int root, MPI_Comm communicator, int where_from,
                                       int where_to)
{
    hetad_mpi_scatterv_pullback(adj_from, NULL, NULL, count, type, adj_to, block, block_type, root, communicator,
                                where_from, where_to);
}

// Each gets the blocks of all: the sum of what all have of its own comes back.
static void hetad_mpi_allgatherv_pullback(void *adj_from, int count, MPI_Datatype type, void *adj_to,
                                          const int *counts, const int *places, int block, MPI_Datatype block_type,
                                          MPI_Comm communicator, int where_from, int where_to)
{
    const MPI_Datatype element = hetad_mpi_element_in(adj_to, where_to, block_type);
    if (element == MPI_DATATYPE_NULL) {
        return;
    }
    const int rank = hetad_mpi_rank(communicator);
    struct hetad_mpi_blocks b = hetad_mpi_cut(hetad_mpi_some(adj_to, block, block_type, element, where_to), counts,
                                              places, communicator, -1);
    void *values = hetad_mpi_take_blocks(&b);
    void *mine = hetad_mpi_room((size_t)b.numbers[rank] * hetad_mpi_width(element));
    hetad_mpi_check(MPI_Reduce_scatter(values, mine, b.numbers, element, MPI_SUM, hetad_mpi_beside(communicator)));
    const struct hetad_mpi_cells own = adj_from == MPI_IN_PLACE
                                           ? hetad_mpi_block(&b, rank)
                                           : hetad_mpi_some(adj_from, count, type, element, where_from);
    hetad_mpi_give(&own, mine);
    free(mine);
    free(values);
    free(b.counts);
}

static void hetad_mpi_allgather_pullback(void *adj_from, int count, MPI_Datatype type, void *adj_to, int block,
                                         MPI_Datatype block_type, MPI_Comm communicator, int where_from,
                                         int where_to)
{
    hetad_mpi_allgatherv_pullback(adj_from, count, type, adj_to, NULL, NULL, block, block_type, communicator,
                                  where_from, where_to);
}

// Each gets a block of a sum: all get the blocks of all back.
static void hetad_mpi_sum_scattered(void *adj_from, void *adj_to, const int *counts, int count, MPI_Datatype type,
                                    MPI_Op operation, MPI_Comm communicator, int where_from, int where_to)
{
    const MPI_Datatype element = hetad_mpi_element(type);
    hetad_mpi_only_sums(operation, element);
    if (element == MPI_DATATYPE_NULL) {
        return;
    }
    const int rank = hetad_mpi_rank(communicator), in_place = adj_from == MPI_IN_PLACE;
    struct hetad_mpi_blocks b =
        hetad_mpi_cut(hetad_mpi_some(in_place ? adj_to : adj_from, count, type, element,
                                     in_place ? where_to : where_from), counts, NULL, communicator, -1);
    const struct hetad_mpi_cells own = hetad_mpi_some(adj_to, b.counts[rank], type, element, where_to);
    void *mine = hetad_mpi_take(&own);
    if (in_place) {  // what is not overwritten there means nothing any more
        free(hetad_mpi_take_blocks(&b));
    }
    void *values = hetad_mpi_room(b.n * hetad_mpi_width(element));
    hetad_mpi_check(MPI_Allgatherv(mine, b.numbers[rank], element, values, b.numbers, b.starts, element,
                                   hetad_mpi_beside(communicator)));
    hetad_mpi_give_blocks(&b, values);
    free(mine);
    free(values);
    free(b.counts);
}

static void hetad_mpi_reduce_scatter_pullback(void *adj_from, void *adj_to, const int *counts, MPI_Datatype type,
                                              MPI_Op operation, MPI_Comm communicator, int where_from,
                                              int where_to)
{
    hetad_mpi_sum_scattered(adj_from, adj_to, counts, 0, type, operation, communicator, where_from, where_to);
}

static void hetad_mpi_reduce_scatter_block_pullback(void *adj_from, void *adj_to, int count, MPI_Datatype type,
                                                    MPI_Op operation, MPI_Comm communicator, int where_from,
                                                    int where_to)
{
    hetad_mpi_sum_scattered(adj_from, adj_to, NULL, count, type, operation, communicator, where_from,
                            where_to);
}

// Each gets a block of each: all come back the same way.
static void hetad_mpi_alltoallv_pullback(void *adj_from, const int *sent, const int *sent_places, int count,
                                         MPI_Datatype type, void *adj_to, const int *counts, const int *places,
                                         int block, MPI_Datatype block_type, MPI_Comm communicator, int where_from,
                                         int where_to)
{
    const MPI_Datatype element = hetad_mpi_element_in(adj_to, where_to, block_type);
    if (element == MPI_DATATYPE_NULL) {
        return;
    }
    const int in_place = adj_from == MPI_IN_PLACE;
    struct hetad_mpi_blocks to = hetad_mpi_cut(hetad_mpi_some(adj_to, block, block_type, element, where_to), counts,
                                               places, communicator, -1);
    struct hetad_mpi_blocks from =
        in_place ? hetad_mpi_cut(to.whole, counts, places, communicator, -1)
                 : hetad_mpi_cut(hetad_mpi_some(adj_from, count, type, element, where_from), sent, sent_places,
                                 communicator, -1);
    void *values = hetad_mpi_take_blocks(&to), *mine = hetad_mpi_room(from.n * hetad_mpi_width(element));
    hetad_mpi_check(MPI_Alltoallv(values, to.numbers, to.starts, element, mine, from.numbers, from.starts, element,
                                  hetad_mpi_beside(communicator)));
    hetad_mpi_give_blocks(&from, mine);
    free(mine);
    free(values);
    free(to.counts);
    free(from.counts);
}

static void hetad_mpi_alltoall_pullback(void *adj_from, int count, MPI_Datatype type, void *adj_to, int block,
                                        MPI_Datatype block_type, MPI_Comm communicator, int where_from,
                                        int where_to)
{
    hetad_mpi_alltoallv_pullback(adj_from, NULL, NULL, count, type, adj_to, NULL, NULL, block, block_type, communicator,
                                 where_from, where_to);
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
    size_t most = 0;
    for (int i = 0; i < hetad_mpi_size(communicator); ++i) {
        const size_t end = hetad_mpi_extent(type) * (size_t)places[i] + hetad_mpi_bytes(counts[i], type);
        most = counts[i] > 0 && end > most ? end : most;
    }
    return most;
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
