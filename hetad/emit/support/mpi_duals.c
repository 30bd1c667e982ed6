// Tangents of reductions: numbers are reduced together with their tangents.  Of equal ones the first rank's counts.
struct hetad_mpi_dual {
    double value, slope, rank;
};

static void hetad_mpi_add_duals(void *one, void *other, int *n, MPI_Datatype *type)
{
    const struct hetad_mpi_dual *a = (const struct hetad_mpi_dual *)one;
    struct hetad_mpi_dual *b = (struct hetad_mpi_dual *)other;
    (void)type;
    for (int i = 0; i < *n; ++i) {
        b[i].value += a[i].value;
        b[i].slope += a[i].slope;
    }
}

static void hetad_mpi_multiply_duals(void *one, void *other, int *n, MPI_Datatype *type)
{
    const struct hetad_mpi_dual *a = (const struct hetad_mpi_dual *)one;
    struct hetad_mpi_dual *b = (struct hetad_mpi_dual *)other;
    (void)type;
    for (int i = 0; i < *n; ++i) {
        b[i].slope = a[i].value * b[i].slope + a[i].slope * b[i].value;
        b[i].value *= a[i].value;
    }
}

static void hetad_mpi_choose_duals(const struct hetad_mpi_dual *a, struct hetad_mpi_dual *b, int n, double sign)
{
    for (int i = 0; i < n; ++i) {
        const double better = sign * (a[i].value - b[i].value);
        if (better > 0 || (better == 0 && a[i].rank < b[i].rank)) {
            b[i] = a[i];
        }
    }
}

static void hetad_mpi_larger_duals(void *one, void *other, int *n, MPI_Datatype *type)
{
    (void)type;
    hetad_mpi_choose_duals((const struct hetad_mpi_dual *)one, (struct hetad_mpi_dual *)other, *n, 1);
}

static void hetad_mpi_smaller_duals(void *one, void *other, int *n, MPI_Datatype *type)
{
    (void)type;
    hetad_mpi_choose_duals((const struct hetad_mpi_dual *)one, (struct hetad_mpi_dual *)other, *n, -1);
}

// What does to numbers with tangents what an operator does to numbers; made once.
static MPI_Op hetad_mpi_on_duals(MPI_Op operation)
{
    static MPI_Op made[4];
    static int there[4];
    const int kind = operation == MPI_SUM ? 0 : operation == MPI_PROD ? 1 : operation == MPI_MAX ? 2 : 3;
    MPI_User_function *const does = kind == 0   ? hetad_mpi_add_duals
                                    : kind == 1 ? hetad_mpi_multiply_duals
                                    : kind == 2 ? hetad_mpi_larger_duals
                                                : hetad_mpi_smaller_duals;
    if (kind == 3 && operation != MPI_MIN) {
        hetad_fail("a reduction by another operator than MPI_SUM, MPI_PROD, MPI_MAX or MPI_MIN has no tangent");
    }
    if (!there[kind]) {
        hetad_mpi_check(MPI_Op_create(does, 1, &made[kind]));
        there[kind] = 1;
    }
    return made[kind];
}

static MPI_Datatype hetad_mpi_dual_type(void)
{
    static MPI_Datatype made;
    static int there;
    if (!there) {
        hetad_mpi_check(MPI_Type_contiguous(3, MPI_DOUBLE, &made));
        hetad_mpi_check(MPI_Type_commit(&made));
        there = 1;
    }
    return made;
}

// The numbers of some elements, in double precision.
static double *hetad_mpi_in_double(const struct hetad_mpi_cells *c)
{
    const size_t n = hetad_mpi_length(c);
    void *values = hetad_mpi_copied(c);
    if (c->element == MPI_DOUBLE) {
        return (double *)values;
    }
    double *converted = (double *)hetad_mpi_room(n * sizeof *converted);
    for (size_t i = 0; i < n; ++i) {
        converted[i] = ((float *)values)[i];
    }
    free(values);
    return converted;
}

// What has come: the tangents go to where they belong.
static void hetad_mpi_put_slopes(struct hetad_mpi_receive *r)
{
    const struct hetad_mpi_dual *duals = (const struct hetad_mpi_dual *)r->taken;
    const size_t n = hetad_mpi_length(&r->cells);
    void *slopes = hetad_mpi_room(n * hetad_mpi_width(r->cells.element));
    for (size_t i = 0; i < n; ++i) {
        if (r->cells.element == MPI_DOUBLE) {
            ((double *)slopes)[i] = duals[n + i].slope;
        } else {
            ((float *)slopes)[i] = (float)duals[n + i].slope;
        }
    }
    hetad_mpi_put(&r->cells, slopes);
    free(slopes);
    free(r->taken);
}

// In front of a reduction, which is about to overwrite its numbers: room for what is given, and behind it what comes.
static struct hetad_mpi_dual *hetad_mpi_duals(const struct hetad_mpi_cells *numbers, const struct hetad_mpi_cells *dots,
                                              MPI_Comm communicator)
{
    const size_t n = hetad_mpi_length(numbers);
    const int rank = hetad_mpi_rank(communicator);
    double *values = hetad_mpi_in_double(numbers), *slopes = hetad_mpi_in_double(dots);
    struct hetad_mpi_dual *duals = (struct hetad_mpi_dual *)hetad_mpi_room(2 * n * sizeof *duals);
    for (size_t i = 0; i < n; ++i) {
        duals[i].value = values[i];
        duals[i].slope = slopes[i];
        duals[i].rank = rank;
    }
    free(values);
    free(slopes);
    return duals;
}

// `root`: -1 where all ranks get the result; `starts`: it is waited for later.
static void hetad_mpi_reduction_tangent(const void *from, const void *to, void *dot_from, void *dot_to, int count,
                                        MPI_Datatype type, MPI_Op operation, int root, MPI_Comm communicator,
                                        int where_from, int where_to, int starts)
{
    const MPI_Datatype element = hetad_mpi_element(type);
    struct hetad_mpi_receive at_once, *r = starts ? hetad_mpi_new_beside() : &at_once;
    if (!starts) {
        memset(r, 0, sizeof *r);
    }
    if (element == MPI_DATATYPE_NULL) {
        return;
    }
    const int in_place = from == MPI_IN_PLACE, where = in_place ? where_to : where_from;
    const struct hetad_mpi_cells numbers = hetad_mpi_some((void *)(in_place ? to : from), count, type, element, where);
    const struct hetad_mpi_cells dots = hetad_mpi_some(in_place ? dot_to : dot_from, count, type, element, where);
    const int n = hetad_mpi_int(hetad_mpi_length(&numbers));
    const MPI_Datatype t = hetad_mpi_dual_type();
    const MPI_Op o = hetad_mpi_on_duals(operation);
    struct hetad_mpi_dual *duals = hetad_mpi_duals(&numbers, &dots, communicator);
    r->taken = duals;
    r->came = hetad_mpi_put_slopes;
    r->cells = hetad_mpi_some(root < 0 || hetad_mpi_rank(communicator) == root ? dot_to : NULL, count, type, element,
                              where_to);
    if (starts && root < 0) {
        hetad_mpi_check(MPI_Iallreduce(duals, duals + n, n, t, o, communicator, &r->beside));
    } else if (starts) {
        hetad_mpi_check(MPI_Ireduce(duals, duals + n, n, t, o, root, communicator, &r->beside));
    } else if (root < 0) {
        hetad_mpi_check(MPI_Allreduce(duals, duals + n, n, t, o, communicator));
    } else {
        hetad_mpi_check(MPI_Reduce(duals, duals + n, n, t, o, root, communicator));
    }
    if (!starts) {
        hetad_mpi_put_slopes(r);
    }
}

static void hetad_mpi_reduce_tangent(const void *from, const void *to, void *dot_from, void *dot_to, int count,
                                     MPI_Datatype type, MPI_Op operation, int root, MPI_Comm communicator,
                                     int where_from, int where_to)
{
    hetad_mpi_reduction_tangent(from, to, dot_from, dot_to, count, type, operation, root, communicator, where_from,
                                where_to, 0);
}

static void hetad_mpi_ireduce_tangent(const void *from, const void *to, void *dot_from, void *dot_to, int count,
                                      MPI_Datatype type, MPI_Op operation, int root, MPI_Comm communicator,
                                      int where_from, int where_to)
{
    hetad_mpi_reduction_tangent(from, to, dot_from, dot_to, count, type, operation, root, communicator, where_from,
                                where_to, 1);
}
