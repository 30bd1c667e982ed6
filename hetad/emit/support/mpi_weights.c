// What results of reductions depend on: for each number, how much a step of this rank's changes it.
struct hetad_mpi_all_weights {
    double **kept;  // by the reductions of the forward sweep that are no sums
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

// Finding them: all ranks' numbers, of a product; of a largest or smallest number, that and the first rank that has it.
struct hetad_mpi_best {
    double value;
    int rank;
};

struct hetad_mpi_weighing {
    size_t n;
    MPI_Op operation;
    MPI_Comm communicator;
    double *mine, *all;
    struct hetad_mpi_best *own, *best;
    MPI_Request request;
};

static void hetad_mpi_weigh_product(struct hetad_mpi_weighing *w, int starts)
{
    const int n = hetad_mpi_int(w->n);
    w->all = (double *)hetad_mpi_room(w->n * (size_t)hetad_mpi_size(w->communicator) * sizeof(double));
    if (starts) {
        hetad_mpi_check(MPI_Iallgather(w->mine, n, MPI_DOUBLE, w->all, n, MPI_DOUBLE, w->communicator, &w->request));
    } else {
        hetad_mpi_check(MPI_Allgather(w->mine, n, MPI_DOUBLE, w->all, n, MPI_DOUBLE, w->communicator));
    }
}

static void hetad_mpi_weigh_best(struct hetad_mpi_weighing *w, int starts)
{
    const MPI_Op place = w->operation == MPI_MAX ? MPI_MAXLOC : MPI_MINLOC;
    const int n = hetad_mpi_int(w->n), rank = hetad_mpi_rank(w->communicator);
    w->own = (struct hetad_mpi_best *)hetad_mpi_room(w->n * sizeof *w->own);
    w->best = (struct hetad_mpi_best *)hetad_mpi_room(w->n * sizeof *w->best);
    for (int i = 0; i < n; ++i) {
        w->own[i].value = w->mine[i];
        w->own[i].rank = rank;
    }
    if (starts) {
        hetad_mpi_check(MPI_Iallreduce(w->own, w->best, n, MPI_DOUBLE_INT, place, w->communicator, &w->request));
    } else {
        hetad_mpi_check(MPI_Allreduce(w->own, w->best, n, MPI_DOUBLE_INT, place, w->communicator));
    }
}

static void hetad_mpi_weigh_begin(struct hetad_mpi_weighing *w, const void *from, int count, MPI_Datatype type,
                                  MPI_Op operation, MPI_Comm communicator, int where, int starts)
{
    const MPI_Datatype element = hetad_mpi_element(type);
    memset(w, 0, sizeof *w);
    w->request = MPI_REQUEST_NULL;
    if (!hetad_mpi_is_weighted(operation, element)) {
        return;
    }
    w->n = hetad_mpi_numbers(count, type);
    w->operation = operation;
    w->communicator = communicator;
    w->mine = (double *)hetad_mpi_room(w->n * sizeof(double));
    const size_t bytes = w->n * hetad_mpi_width(element);
    char *here = hetad_mpi_open((void *)from, bytes, where % 2);
    for (size_t i = 0; i < w->n; ++i) {
        w->mine[i] = element == MPI_DOUBLE ? ((const double *)here)[i] : (double)((const float *)here)[i];
    }
    if (where % 2 && bytes > 0) {
        free(here);
    }
    if (operation == MPI_PROD) {
        hetad_mpi_weigh_product(w, starts);
    } else {
        hetad_mpi_weigh_best(w, starts);
    }
}

// The weights, in the place of this rank's numbers; NULL where there are none.
static double *hetad_mpi_weighed(struct hetad_mpi_weighing *w)
{
    if (w->mine == NULL) {
        return NULL;
    }
    const int rank = hetad_mpi_rank(w->communicator), size = hetad_mpi_size(w->communicator);
    hetad_mpi_check(MPI_Wait(&w->request, MPI_STATUS_IGNORE));
    for (size_t i = 0; i < w->n; ++i) {
        w->mine[i] = w->best != NULL ? w->best[i].value == w->mine[i] && w->best[i].rank == rank : 1;
        for (int r = 0; w->all != NULL && r < size; ++r) {  // of a product, the other factors: some may be zero
            w->mine[i] *= r != rank ? w->all[(size_t)r * w->n + i] : 1;
        }
    }
    free(w->all);
    free(w->own);
    free(w->best);
    return w->mine;
}

// Before a reduction that is no sum: its weights are kept.
static void hetad_mpi_weigh(const void *from, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm communicator,
                            int where)
{
    struct hetad_mpi_weighing w;
    hetad_mpi_weigh_begin(&w, from, count, type, operation, hetad_mpi_beside(communicator), where, 0);
    double *weights = hetad_mpi_weighed(&w);
    if (weights == NULL) {
        return;
    }
    if (hetad_mpi_reductions.count == hetad_mpi_reductions.room) {
        hetad_mpi_reductions.kept =
            (double **)hetad_mpi_grown(hetad_mpi_reductions.kept, &hetad_mpi_reductions.room, sizeof(double *));
    }
    hetad_mpi_reductions.kept[hetad_mpi_reductions.count++] = weights;
}

static void hetad_mpi_forget_weights(void)
{
    while (hetad_mpi_reductions.count > 0) {
        free(hetad_mpi_reductions.kept[--hetad_mpi_reductions.count]);
    }
}

// Of the last one.
static double *hetad_mpi_last_weights(MPI_Op operation, MPI_Datatype element)
{
    return hetad_mpi_is_weighted(operation, element) ? hetad_mpi_reductions.kept[--hetad_mpi_reductions.count] : NULL;
}

// The adjoints of results, as those of what this rank gave.
static void hetad_mpi_apply_weights(const double *weights, void *values, size_t n, MPI_Datatype element)
{
    for (size_t i = 0; weights != NULL && i < n; ++i) {
        if (element == MPI_DOUBLE) {
            ((double *)values)[i] = weights[i] == 0 ? 0 : ((double *)values)[i] * weights[i];
        } else {
            ((float *)values)[i] = weights[i] == 0 ? 0 : (float)(((float *)values)[i] * weights[i]);
        }
    }
}
