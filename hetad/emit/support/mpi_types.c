// The bytes from the first of some elements to the end of the last one.
static size_t hetad_mpi_bytes(int count, MPI_Datatype type)
{
    MPI_Aint first, whole, from, used;
    if (count <= 0) {
        return 0;
    }
    hetad_mpi_check(MPI_Type_get_extent(type, &first, &whole));
    hetad_mpi_check(MPI_Type_get_true_extent(type, &from, &used));
    if (from < 0 || whole < 0) {
        hetad_fail("a type of MPI that begins in front of its address has no derivative");
    }
    return (size_t)whole * (size_t)(count - 1) + (size_t)(from + used);
}

static size_t hetad_mpi_extent(MPI_Datatype type)
{
    MPI_Aint first, whole;
    hetad_mpi_check(MPI_Type_get_extent(type, &first, &whole));
    return (size_t)whole;
}

// What a type of MPI is made of: numbers in a row, some of the same type behind each other.  MPI_FLOAT and MPI_DOUBLE
// have derivatives; others, as the names of particles beside their places, have none and stay where they are.
struct hetad_mpi_run {
    MPI_Datatype type;
    size_t numbers;
};

struct hetad_mpi_runs {
    struct hetad_mpi_run *each;
    size_t count, room;
};

static void *hetad_mpi_grown(void *array, size_t *room, size_t size)
{
    *room = 2 * *room + 16;
    void *moved = realloc(array, *room * size);
    if (moved == NULL) {
        hetad_fail("out of host memory");
    }
    return moved;
}

static void hetad_mpi_add_run(struct hetad_mpi_runs *r, struct hetad_mpi_run run)
{
    if (r->count == r->room) {
        r->each = (struct hetad_mpi_run *)hetad_mpi_grown(r->each, &r->room, sizeof *r->each);
    }
    r->each[r->count++] = run;
}

// What came since `first` so many times.
static void hetad_mpi_repeat_runs(struct hetad_mpi_runs *r, size_t first, size_t times)
{
    const size_t end = r->count;
    if (times == 0) {
        r->count = first;
    } else if (end - first == 1) {
        r->each[first].numbers *= times;
    } else {
        for (size_t k = 1; k < times; ++k) {
            for (size_t i = first; i < end; ++i) {
                hetad_mpi_add_run(r, r->each[i]);
            }
        }
    }
}

static size_t hetad_mpi_size_of(MPI_Datatype type)
{
    int bytes;
    hetad_mpi_check(MPI_Type_size(type, &bytes));
    return (size_t)bytes;
}

// All types but structs repeat one other.
static void hetad_mpi_add_runs(struct hetad_mpi_runs *r, MPI_Datatype type)
{
    int integers, addresses, types, combiner;
    hetad_mpi_check(MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner));
    if (combiner == MPI_COMBINER_NAMED || types == 0) {
        const struct hetad_mpi_run one = {type, 1};
        hetad_mpi_add_run(r, one);
        return;
    }
    int *numbers = (int *)hetad_mpi_room((size_t)integers * sizeof(int));
    MPI_Aint *places = (MPI_Aint *)hetad_mpi_room((size_t)addresses * sizeof(MPI_Aint));
    MPI_Datatype *inner = (MPI_Datatype *)hetad_mpi_room((size_t)types * sizeof(MPI_Datatype));
    hetad_mpi_check(MPI_Type_get_contents(type, integers, addresses, types, numbers, places, inner));
    for (int i = 0; i < types; ++i) {
        int a, b, c, kind;
        const size_t first = r->count, size = hetad_mpi_size_of(inner[i]);
        hetad_mpi_add_runs(r, inner[i]);
        hetad_mpi_repeat_runs(r, first, combiner == MPI_COMBINER_STRUCT ? (size_t)numbers[i + 1]
                                        : size == 0                     ? 0
                                                                        : hetad_mpi_size_of(type) / size);
        hetad_mpi_check(MPI_Type_get_envelope(inner[i], &a, &b, &c, &kind));
        if (kind != MPI_COMBINER_NAMED) {
            MPI_Type_free(&inner[i]);
        }
    }
    free(numbers);
    free(places);
    free(inner);
}

// Of one element: how many numbers have derivatives, and whether there are others.  `element`: as what they travel,
// which is MPI_DOUBLE where a type has both; MPI_DATATYPE_NULL where none has a derivative.
struct hetad_mpi_contents {
    MPI_Datatype element;
    size_t floats, doubles, others, bytes;  // of the others: what may be anything
};

static struct hetad_mpi_contents hetad_mpi_contents_of(MPI_Datatype type)
{
    struct hetad_mpi_contents c = {type, type == MPI_FLOAT, type == MPI_DOUBLE, 0, 0};
    if (type == MPI_FLOAT || type == MPI_DOUBLE) {
        return c;
    }
    struct hetad_mpi_runs runs = {NULL, 0, 0};
    hetad_mpi_add_runs(&runs, type);
    for (size_t i = 0; i < runs.count; ++i) {
        const struct hetad_mpi_run run = runs.each[i];
        *(run.type == MPI_DOUBLE ? &c.doubles : run.type == MPI_FLOAT ? &c.floats : &c.others) += run.numbers;
        c.bytes += run.type == MPI_BYTE || run.type == MPI_PACKED ? run.numbers : 0;
    }
    free(runs.each);
    c.element = c.doubles > 0 ? MPI_DOUBLE : c.floats > 0 ? MPI_FLOAT : MPI_DATATYPE_NULL;
    return c;
}

static MPI_Datatype hetad_mpi_element(MPI_Datatype type)
{
    return hetad_mpi_contents_of(type).element;
}

// How many numbers with derivatives some elements have.
static size_t hetad_mpi_numbers(int count, MPI_Datatype type)
{
    const struct hetad_mpi_contents c = hetad_mpi_contents_of(type);
    return count > 0 ? (size_t)count * (c.floats + c.doubles) : 0;
}

static int hetad_mpi_int(size_t n)
{
    if (n > INT_MAX) {
        hetad_fail("a message of more numbers than an int counts has no derivative");
    }
    return (int)n;
}

static size_t hetad_mpi_width(MPI_Datatype element)
{
    return element == MPI_DOUBLE ? sizeof(double) : sizeof(float);
}
