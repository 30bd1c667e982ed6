// Collective operations, reversed: what one gives to all comes back as a sum, what all give to one comes back to each.
static int hetad_mpi_rank(MPI_Comm communicator)
{
    int rank;
    hetad_mpi_check(MPI_Comm_rank(communicator, &rank));
    return rank;
}

static int hetad_mpi_size(MPI_Comm communicator)
{
    int size;
    hetad_mpi_check(MPI_Comm_size(communicator, &size));
    return size;
}

static void hetad_mpi_sum(void *values, size_t n, MPI_Datatype element, MPI_Comm communicator)
{
    hetad_mpi_check(MPI_Allreduce(MPI_IN_PLACE, values, hetad_mpi_int(n), element, MPI_SUM,
                                  hetad_mpi_beside(communicator)));
}

// What one rank has, given to all.
static void hetad_mpi_spread(void *values, size_t n, MPI_Datatype element, int root, MPI_Comm communicator)
{
    hetad_mpi_check(MPI_Bcast(values, hetad_mpi_int(n), element, root, hetad_mpi_beside(communicator)));
}

static void hetad_mpi_bcast_pullback(void *adj, int count, MPI_Datatype type, int root, MPI_Comm communicator,
                                     int where)
{
    const MPI_Datatype element = hetad_mpi_element_in(adj, where, type);
    if (element == MPI_DATATYPE_NULL) {
        return;
    }
    const struct hetad_mpi_cells cells = hetad_mpi_some(adj, count, type, element, where);
    const int here = hetad_mpi_rank(communicator) == root, n = hetad_mpi_int(hetad_mpi_length(&cells));
    void *values = hetad_mpi_take(&cells);
    hetad_mpi_check(MPI_Reduce(here ? MPI_IN_PLACE : values, values, n, element, MPI_SUM, root,
                               hetad_mpi_beside(communicator)));
    if (here) {
        hetad_mpi_give(&cells, values);
    }
    free(values);
}

// -- reductions

// What a result of a reduction depends on: for each number, how much a step of this rank's changes it.
struct hetad_mpi_weights {
    double *of;
    size_t n;
};

struct hetad_mpi_all_weights {
    struct hetad_mpi_weights *kept;  // by the reductions of the forward sweep that are no sums
    size_t count, room;
};

static struct hetad_mpi_all_weights hetad_mpi_reductions;

// Whether its derivative needs what has been reduced.
static int hetad_mpi_is_weighted(MPI_Op operation, MPI_Datatype element)
{
    if (element == MPI_DATATYPE_NULL || operation == MPI_SUM) {
        return 0;
    }
    if (operation != MPI_MAX && operation != MPI_MIN && operation != MPI_PROD) {
        hetad_fail("a reduction by another operator than MPI_SUM, MPI_PROD, MPI_MAX or MPI_MIN has no derivative");
    }
    return 1;
}

static void hetad_mpi_only_sums(MPI_Op operation, MPI_Datatype element)
{
    if (element != MPI_DATATYPE_NULL && operation != MPI_SUM) {
        hetad_fail("this reduction has a derivative by MPI_SUM only");
    }
}

// Of a largest or a smallest number: the first rank that has it.
static void hetad_mpi_find_first(const double *mine, double *weights, int n, MPI_Op operation, MPI_Comm communicator)
{
    const int rank = hetad_mpi_rank(communicator), size = hetad_mpi_size(communicator);
    double *best = (double *)hetad_mpi_room((size_t)n * sizeof(double));
    int *first = (int *)hetad_mpi_room((size_t)n * sizeof(int));
    hetad_mpi_check(MPI_Allreduce(mine, best, n, MPI_DOUBLE, operation, communicator));
    for (int i = 0; i < n; ++i) {
        first[i] = mine[i] == best[i] ? rank : size;
    }
    hetad_mpi_check(MPI_Allreduce(MPI_IN_PLACE, first, n, MPI_INT, MPI_MIN, communicator));
    for (int i = 0; i < n; ++i) {
        weights[i] = first[i] == rank;
    }
    free(best);
    free(first);
}

// Of a product: that of the other ranks' factors, of which some may be zero.
static void hetad_mpi_find_others(const double *mine, double *weights, int n, MPI_Comm communicator)
{
    const int rank = hetad_mpi_rank(communicator), size = hetad_mpi_size(communicator);
    double *all = (double *)hetad_mpi_room((size_t)n * (size_t)size * sizeof(double));
    hetad_mpi_check(MPI_Allgather(mine, n, MPI_DOUBLE, all, n, MPI_DOUBLE, communicator));
    for (int i = 0; i < n; ++i) {
        weights[i] = 1;
        for (int r = 0; r < size; ++r) {
            weights[i] *= r != rank ? all[(size_t)r * (size_t)n + (size_t)i] : 1;
        }
    }
    free(all);
}

// Before a reduction that is no sum: its weights are kept.
static void hetad_mpi_weigh(const void *from, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm communicator,
                            int where)
{
    const MPI_Datatype element = hetad_mpi_element(type);
    if (!hetad_mpi_is_weighted(operation, element)) {
        return;
    }
    const size_t n = hetad_mpi_numbers(count, type, element), bytes = n * hetad_mpi_width(element);
    double *mine = (double *)hetad_mpi_room(n * sizeof(double)), *weights = (double *)hetad_mpi_room(n * sizeof(double));
    char *here = hetad_mpi_open((void *)from, bytes, where % 2);
    for (size_t i = 0; i < n; ++i) {
        mine[i] = element == MPI_DOUBLE ? ((const double *)here)[i] : (double)((const float *)here)[i];
    }
    if (where % 2 && bytes > 0) {
        free(here);
    }
    if (operation == MPI_PROD) {
        hetad_mpi_find_others(mine, weights, hetad_mpi_int(n), hetad_mpi_beside(communicator));
    } else {
        hetad_mpi_find_first(mine, weights, hetad_mpi_int(n), operation, hetad_mpi_beside(communicator));
    }
    free(mine);
    if (hetad_mpi_reductions.count == hetad_mpi_reductions.room) {
        hetad_mpi_reductions.kept = (struct hetad_mpi_weights *)hetad_mpi_grown(
            hetad_mpi_reductions.kept, &hetad_mpi_reductions.room, sizeof *hetad_mpi_reductions.kept);
    }
    hetad_mpi_reductions.kept[hetad_mpi_reductions.count].of = weights;
    hetad_mpi_reductions.kept[hetad_mpi_reductions.count++].n = n;
}

static void hetad_mpi_forget_weights(void)
{
    while (hetad_mpi_reductions.count > 0) {
        free(hetad_mpi_reductions.kept[--hetad_mpi_reductions.count].of);
    }
}

// The adjoints of results, as those of what this rank gave.
static void hetad_mpi_apply_weights(void *values, size_t n, MPI_Datatype element, MPI_Op operation)
{
    if (!hetad_mpi_is_weighted(operation, element)) {
        return;
    }
    const struct hetad_mpi_weights w = hetad_mpi_reductions.kept[--hetad_mpi_reductions.count];
    for (size_t i = 0; i < n; ++i) {
        if (element == MPI_DOUBLE) {
            ((double *)values)[i] = w.of[i] == 0 ? 0 : ((double *)values)[i] * w.of[i];
        } else {
            ((float *)values)[i] = w.of[i] == 0 ? 0 : (float)(((float *)values)[i] * w.of[i]);
        }
    }
    free(w.of);
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

// Adjoints of two buffers; of one, where the operation is in place.
struct hetad_mpi_ends {
    struct hetad_mpi_cells from, to;
};

static struct hetad_mpi_ends hetad_mpi_both(void *adj_from, void *adj_to, int count, MPI_Datatype type,
                                            MPI_Datatype element, int where_from, int where_to)
{
    struct hetad_mpi_ends ends;
    ends.to = hetad_mpi_some(adj_to, count, type, element, where_to);
    ends.from = adj_from == MPI_IN_PLACE ? ends.to : hetad_mpi_some(adj_from, count, type, element, where_from);
    return ends;
}

static void hetad_mpi_reduce_pullback(void *adj_from, void *adj_to, int count, MPI_Datatype type, MPI_Op operation,
                                      int root, MPI_Comm communicator, int where_from, int where_to)
{
    const MPI_Datatype element = hetad_mpi_element(type);
    if (element == MPI_DATATYPE_NULL) {
        return;
    }
    const struct hetad_mpi_ends e =
        hetad_mpi_both(adj_from, adj_to, count, type, element, where_from, where_to);
    const size_t n = hetad_mpi_length(&e.to);
    void *values = hetad_mpi_room(n * hetad_mpi_width(element));
    if (hetad_mpi_rank(communicator) == root) {
        hetad_mpi_take_to(&e.to, values);
    }
    hetad_mpi_spread(values, n, element, root, communicator);
    hetad_mpi_apply_weights(values, n, element, operation);
    hetad_mpi_give(&e.from, values);
    free(values);
}

static void hetad_mpi_allreduce_pullback(void *adj_from, void *adj_to, int count, MPI_Datatype type, MPI_Op operation,
                                         MPI_Comm communicator, int where_from, int where_to)
{
    const MPI_Datatype element = hetad_mpi_element(type);
    if (element == MPI_DATATYPE_NULL) {
        return;
    }
    const struct hetad_mpi_ends e =
        hetad_mpi_both(adj_from, adj_to, count, type, element, where_from, where_to);
    const size_t n = hetad_mpi_length(&e.to);
    void *values = hetad_mpi_take(&e.to);
    hetad_mpi_sum(values, n, element, communicator);
    hetad_mpi_apply_weights(values, n, element, operation);
    hetad_mpi_give(&e.from, values);
    free(values);
}

// The sums over this rank and those before it, reversed: over this rank and those behind it, which are the same sums
// where the ranks are numbered backwards.
static void hetad_mpi_scanned(void *adj_from, void *adj_to, int count, MPI_Datatype type, MPI_Op operation,
                              MPI_Comm communicator, int where_from, int where_to, int exclusive)
{
    const MPI_Datatype element = hetad_mpi_element(type);
    hetad_mpi_only_sums(operation, element);
    if (element == MPI_DATATYPE_NULL) {
        return;
    }
    const struct hetad_mpi_ends e =
        hetad_mpi_both(adj_from, adj_to, count, type, element, where_from, where_to);
    const size_t n = hetad_mpi_length(&e.to);
    const int rank = hetad_mpi_rank(communicator), last = hetad_mpi_size(communicator) - 1;
    void *values = hetad_mpi_room(n * hetad_mpi_width(element)), *sums = hetad_mpi_room(n * hetad_mpi_width(element));
    if (!exclusive || rank > 0) {  // the first rank has no exclusive sum, and keeps what it had
        hetad_mpi_take_to(&e.to, values);
    }
    MPI_Comm backwards;
    hetad_mpi_check(MPI_Comm_split(hetad_mpi_beside(communicator), 0, last - rank, &backwards));
    hetad_mpi_check((exclusive ? MPI_Exscan : MPI_Scan)(values, sums, hetad_mpi_int(n), element, MPI_SUM, backwards));
    hetad_mpi_check(MPI_Comm_free(&backwards));
    if (!exclusive || rank < last) {
        hetad_mpi_give(&e.from, sums);
    }
    free(values);
    free(sums);
}

static void hetad_mpi_scan_pullback(void *adj_from, void *adj_to, int count, MPI_Datatype type, MPI_Op operation,
                                    MPI_Comm communicator, int where_from, int where_to)
{
    hetad_mpi_scanned(adj_from, adj_to, count, type, operation, communicator, where_from, where_to, 0);
}

static void hetad_mpi_exscan_pullback(void *adj_from, void *adj_to, int count, MPI_Datatype type, MPI_Op operation,
                                      MPI_Comm communicator, int where_from, int where_to)
{
    hetad_mpi_scanned(adj_from, adj_to, count, type, operation, communicator, where_from, where_to, 1);
}
