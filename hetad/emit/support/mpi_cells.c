static void hetad_mpi_add(void *to, const void *from, size_t n, MPI_Datatype element)
{
    for (size_t i = 0; i < n; ++i) {
        if (element == MPI_DOUBLE) {
            ((double *)to)[i] += ((const double *)from)[i];
        } else {
            ((float *)to)[i] += ((const float *)from)[i];
        }
    }
}

// Memory of the device is worked on in a copy on the host.
static char *hetad_mpi_open(void *cells, size_t bytes, int on_device)
{
    if (!on_device || bytes == 0) {
        return (char *)cells;
    }
    void *copy = hetad_mpi_room(bytes);
    hetad_check(cudaMemcpy(copy, cells, bytes, cudaMemcpyDeviceToHost));
    return (char *)copy;
}

static void hetad_mpi_close(char *copy, void *cells, size_t bytes, int on_device)
{
    if (on_device && bytes > 0) {
        hetad_check(cudaMemcpy(cells, copy, bytes, cudaMemcpyHostToDevice));
        free(copy);
    }
}

// Some elements in memory of adjoints; there may be none of these, and then they are zero.  `each`: the numbers with
// derivatives that one element has; `mixed`: there are others among them, or numbers of both types.
struct hetad_mpi_cells {
    char *memory;
    int count;
    MPI_Datatype type, element;
    size_t each;
    int mixed, on_device;
};

static size_t hetad_mpi_length(const struct hetad_mpi_cells *c)
{
    return c->count > 0 ? (size_t)c->count * c->each : 0;
}

// The type of the same numbers without gaps between them.
static MPI_Datatype hetad_mpi_without_gaps(const struct hetad_mpi_runs *runs)
{
    int *lengths = (int *)hetad_mpi_room(runs->count * sizeof *lengths);
    MPI_Aint *places = (MPI_Aint *)hetad_mpi_room(runs->count * sizeof *places), end = 0;
    MPI_Datatype *types = (MPI_Datatype *)hetad_mpi_room(runs->count * sizeof *types), padded, made;
    for (size_t i = 0; i < runs->count; ++i) {
        lengths[i] = hetad_mpi_int(runs->each[i].numbers);
        places[i] = end;
        types[i] = runs->each[i].type;
        end += (MPI_Aint)(runs->each[i].numbers * hetad_mpi_size_of(types[i]));
    }
    hetad_mpi_check(MPI_Type_create_struct(hetad_mpi_int(runs->count), lengths, places, types, &padded));
    hetad_mpi_check(MPI_Type_create_resized(padded, 0, end, &made));
    hetad_mpi_check(MPI_Type_commit(&made));
    hetad_mpi_check(MPI_Type_free(&padded));
    free(lengths);
    free(places);
    free(types);
    return made;
}

// The numbers of one run: between where they lie and `values`.
static void hetad_mpi_move_run(struct hetad_mpi_run run, char *bytes, void *values, size_t at, MPI_Datatype element,
                               int back)
{
    const size_t width = run.type == MPI_DOUBLE ? sizeof(double) : sizeof(float);
    for (size_t i = 0; i < run.numbers; ++i) {
        void *value = (char *)values + (at + i) * hetad_mpi_width(element), *here = bytes + i * width;
        if (run.type == element) {
            memcpy(back ? here : value, back ? value : here, width);
        } else if (back) {
            const float number = (float)*(double *)value;
            memcpy(here, &number, width);
        } else {
            float number;
            memcpy(&number, here, width);
            *(double *)value = number;
        }
    }
}

static void hetad_mpi_pack_mixed(const struct hetad_mpi_cells *c, char *here, void *values, int back)
{
    struct hetad_mpi_runs runs = {NULL, 0, 0};
    hetad_mpi_add_runs(&runs, c->type);
    MPI_Datatype packed = hetad_mpi_without_gaps(&runs);
    char *bytes = (char *)hetad_mpi_room((size_t)c->count * hetad_mpi_size_of(c->type)), *next = bytes;
    hetad_mpi_check(MPI_Sendrecv(here, c->count, c->type, 0, 0, bytes, c->count, packed, 0, 0, MPI_COMM_SELF,
                                 MPI_STATUS_IGNORE));
    size_t at = 0;
    for (size_t k = 0; k < (size_t)c->count * runs.count; ++k) {
        const struct hetad_mpi_run run = runs.each[k % runs.count];
        const size_t size = run.numbers * hetad_mpi_size_of(run.type);
        if (run.type == MPI_FLOAT || run.type == MPI_DOUBLE) {
            hetad_mpi_move_run(run, next, values, at, c->element, back);
            at += run.numbers;
        }
        next += size;
    }
    if (back) {
        hetad_mpi_check(MPI_Sendrecv(bytes, c->count, packed, 0, 0, here, c->count, c->type, 0, 0, MPI_COMM_SELF,
                                     MPI_STATUS_IGNORE));
    }
    hetad_mpi_check(MPI_Type_free(&packed));
    free(runs.each);
    free(bytes);
}

// The numbers of some elements that lie `here`, one behind the other; or back to where they come from.
static void hetad_mpi_pack(const struct hetad_mpi_cells *c, char *here, void *values)
{
    const size_t n = hetad_mpi_length(c);
    if (c->type == c->element) {
        memcpy(values, here, n * hetad_mpi_width(c->element));
    } else if (c->mixed) {
        hetad_mpi_pack_mixed(c, here, values, 0);
    } else {
        hetad_mpi_check(MPI_Sendrecv(here, c->count, c->type, 0, 0, values, hetad_mpi_int(n), c->element, 0, 0,
                                     MPI_COMM_SELF, MPI_STATUS_IGNORE));
    }
}

static void hetad_mpi_unpack(const struct hetad_mpi_cells *c, char *here, void *values)
{
    const size_t n = hetad_mpi_length(c);
    if (c->type == c->element) {
        memcpy(here, values, n * hetad_mpi_width(c->element));
    } else if (c->mixed) {
        hetad_mpi_pack_mixed(c, here, values, 1);
    } else {
        hetad_mpi_check(MPI_Sendrecv(values, hetad_mpi_int(n), c->element, 0, 0, here, c->count, c->type, 0, 0,
                                     MPI_COMM_SELF, MPI_STATUS_IGNORE));
    }
}

// The overwrite rule: the adjoints go to `values`, and are zero.
static void hetad_mpi_take_to(const struct hetad_mpi_cells *c, void *values)
{
    const size_t n = hetad_mpi_length(c);
    if (c->memory == NULL || n == 0) {
        return;
    }
    const size_t bytes = hetad_mpi_bytes(c->count, c->type);
    char *here = hetad_mpi_open(c->memory, bytes, c->on_device);
    void *zeros = hetad_mpi_room(n * hetad_mpi_width(c->element));
    hetad_mpi_pack(c, here, values);
    hetad_mpi_unpack(c, here, zeros);
    free(zeros);
    hetad_mpi_close(here, c->memory, bytes, c->on_device);
}

static void *hetad_mpi_take(const struct hetad_mpi_cells *c)
{
    void *values = hetad_mpi_room(hetad_mpi_length(c) * hetad_mpi_width(c->element));
    hetad_mpi_take_to(c, values);
    return values;
}

static double hetad_mpi_get(const void *values, size_t i, MPI_Datatype element)
{
    return element == MPI_DOUBLE ? ((const double *)values)[i] : (double)((const float *)values)[i];
}

static void hetad_mpi_set(void *values, size_t i, MPI_Datatype element, double value)
{
    if (element == MPI_DOUBLE) {
        ((double *)values)[i] = value;
    } else {
        ((float *)values)[i] = (float)value;
    }
}

// What is sent may have the same cell more than once.  Of each number: which one has its cell, of all that have, always
// the same; found by writing all numbers' own to the cells, by digits that a float holds, and reading them again.
static size_t *hetad_mpi_owners(const struct hetad_mpi_cells *c)
{
    const size_t n = hetad_mpi_length(c), base = (size_t)1 << 24;
    size_t *owners = (size_t *)hetad_mpi_room(n * sizeof *owners);
    void *digits = hetad_mpi_room(n * hetad_mpi_width(c->element));
    char *cells = (char *)hetad_mpi_room(hetad_mpi_bytes(c->count, c->type));
    for (size_t unit = 1; unit == 1 || unit < n; unit *= base) {
        for (size_t i = 0; i < n; ++i) {
            hetad_mpi_set(digits, i, c->element, (double)(i / unit % base));
        }
        hetad_mpi_unpack(c, cells, digits);
        hetad_mpi_pack(c, cells, digits);
        for (size_t i = 0; i < n; ++i) {
            owners[i] += unit * (size_t)hetad_mpi_get(digits, i, c->element);
        }
    }
    free(digits);
    free(cells);
    return owners;
}

static void hetad_mpi_add_to(const struct hetad_mpi_cells *c, char *here, const void *values)
{
    const size_t n = hetad_mpi_length(c);
    size_t *owners = hetad_mpi_owners(c);
    void *sum = hetad_mpi_room(n * hetad_mpi_width(c->element));
    hetad_mpi_pack(c, here, sum);
    for (size_t i = 0; i < n; ++i) {
        const double total = hetad_mpi_get(sum, owners[i], c->element) + hetad_mpi_get(values, i, c->element);
        hetad_mpi_set(sum, owners[i], c->element, total);
    }
    for (size_t i = 0; i < n; ++i) {
        hetad_mpi_set(sum, i, c->element, hetad_mpi_get(sum, owners[i], c->element));
    }
    hetad_mpi_unpack(c, here, sum);
    free(sum);
    free(owners);
}

static void hetad_mpi_give(const struct hetad_mpi_cells *c, const void *values)
{
    const size_t n = hetad_mpi_length(c);
    if (c->memory == NULL || n == 0) {
        return;
    }
    const size_t bytes = hetad_mpi_bytes(c->count, c->type);
    char *here = hetad_mpi_open(c->memory, bytes, c->on_device);
    if (c->type == c->element) {
        hetad_mpi_add(here, values, n, c->element);
    } else {
        hetad_mpi_add_to(c, here, values);
    }
    hetad_mpi_close(here, c->memory, bytes, c->on_device);
}

// `where` tells of memory whether the device has it (1), and twice the bytes of a number there, if that is known.
// `element`: that of the type.
static struct hetad_mpi_cells hetad_mpi_some(void *memory, int count, MPI_Datatype type, MPI_Datatype element,
                                             int where)
{
    struct hetad_mpi_cells c = {(char *)memory, count, type, element, 0, 0, where % 2};
    if (element == MPI_DATATYPE_NULL) {
        return c;
    }
    const struct hetad_mpi_contents inside = hetad_mpi_contents_of(type);
    const size_t width = (size_t)(where / 2);
    c.each = inside.floats + inside.doubles;
    c.mixed = inside.others > 0 || (inside.floats > 0 && inside.doubles > 0);
    if (memory != NULL && memory != MPI_IN_PLACE &&
        ((width == sizeof(double) && inside.floats > 0) || (width == sizeof(float) && inside.doubles > 0))) {
        hetad_fail("active data is sent as numbers of another type than it has");
    }
    if (memory != NULL && inside.bytes > 0) {
        hetad_fail("active data is sent by a type of MPI that has bytes: send it as MPI_FLOAT or MPI_DOUBLE, text as "
                   "MPI_CHAR");
    }
    return c;
}

// Of what a type of MPI consists by which memory is sent; numbers with derivatives have types of their own.
static MPI_Datatype hetad_mpi_element_in(const void *memory, int where, MPI_Datatype type)
{
    const MPI_Datatype element = hetad_mpi_element(type);
    const int bytes = type == MPI_BYTE || type == MPI_PACKED || type == MPI_CHAR || type == MPI_SIGNED_CHAR ||
                      type == MPI_UNSIGNED_CHAR;
    int integers, addresses, types, combiner;
    if (element == MPI_DATATYPE_NULL && type != MPI_DATATYPE_NULL && memory != NULL && where / 2 != 0) {
        hetad_mpi_check(MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner));
        if (bytes) {
            hetad_fail("active data is sent as bytes: send it as MPI_FLOAT or MPI_DOUBLE");
        }
        if (combiner != MPI_COMBINER_NAMED) {
            hetad_fail("active data is sent by a type of MPI without MPI_FLOAT and MPI_DOUBLE");
        }
    }
    return element;
}
