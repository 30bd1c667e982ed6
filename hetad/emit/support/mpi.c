// MPI: what a type is made of, adjoints of messages, and the communicators on which these go.
static void hetad_mpi_check(int error)
{
    if (error != MPI_SUCCESS) {
        char text[MPI_MAX_ERROR_STRING + 1];
        int length = 0;
        MPI_Error_string(error, text, &length);
        text[length] = 0;
        hetad_fail(text);
    }
}

static inline int hetad_mpi_checked(int error)
{
    hetad_mpi_check(error);
    return error;
}

// Where Python runs the program, MPI is Python's.
static int hetad_mpi_init(void)
{
    int already = 0;
    hetad_mpi_check(MPI_Initialized(&already));
    if (!already) {
        hetad_mpi_check(MPI_Init(NULL, NULL));
    }
    return MPI_SUCCESS;
}

static int hetad_mpi_init_thread(int required, int *provided)
{
    int already = 0;
    hetad_mpi_check(MPI_Initialized(&already));
    hetad_mpi_check(already ? MPI_Query_thread(provided) : MPI_Init_thread(NULL, NULL, required, provided));
    return MPI_SUCCESS;
}

static inline int hetad_mpi_finalize(void)
{
    return MPI_SUCCESS;
}

static inline int hetad_mpi_abort(int code)
{
    char text[80];
    snprintf(text, sizeof text, "the program called MPI_Abort with the code %d", code);
    hetad_fail(text);
    return code;
}

static void *hetad_mpi_room(size_t bytes)
{
    void *room = calloc(bytes > 0 ? bytes : 1, 1);
    if (room == NULL) {
        hetad_fail("out of host memory");
    }
    return room;
}

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

// Of what numbers a type consists: MPI_FLOAT or MPI_DOUBLE; MPI_DATATYPE_NULL if of others, which have no derivative.
static MPI_Datatype hetad_mpi_element(MPI_Datatype type)
{
    int integers, addresses, types, combiner;
    if (type == MPI_FLOAT || type == MPI_DOUBLE) {
        return type;
    }
    hetad_mpi_check(MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner));
    if (combiner == MPI_COMBINER_NAMED || types == 0) {
        return MPI_DATATYPE_NULL;
    }
    int *numbers = (int *)hetad_mpi_room((size_t)integers * sizeof(int));
    MPI_Aint *places = (MPI_Aint *)hetad_mpi_room((size_t)addresses * sizeof(MPI_Aint));
    MPI_Datatype *inner = (MPI_Datatype *)hetad_mpi_room((size_t)types * sizeof(MPI_Datatype));
    hetad_mpi_check(MPI_Type_get_contents(type, integers, addresses, types, numbers, places, inner));
    MPI_Datatype element = hetad_mpi_element(inner[0]);
    int mixed = 0;
    for (int i = 0; i < types; ++i) {
        int a, b, c, kind;
        mixed |= hetad_mpi_element(inner[i]) != element;
        hetad_mpi_check(MPI_Type_get_envelope(inner[i], &a, &b, &c, &kind));
        if (kind != MPI_COMBINER_NAMED) {
            MPI_Type_free(&inner[i]);
        }
    }
    free(numbers);
    free(places);
    free(inner);
    if (mixed) {
        hetad_fail("a type of MPI with numbers of several types has no derivative: send each in a message of its own");
    }
    return element;
}

// How many numbers some elements have.
static size_t hetad_mpi_numbers(int count, MPI_Datatype type, MPI_Datatype element)
{
    int whole, one;
    hetad_mpi_check(MPI_Type_size(type, &whole));
    hetad_mpi_check(MPI_Type_size(element, &one));
    return count > 0 ? (size_t)count * (size_t)whole / (size_t)one : 0;
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

// The numbers of some elements, one behind the other; or back to where they come from.
static void hetad_mpi_pack(void *cells, int count, MPI_Datatype type, void *values, size_t n, MPI_Datatype element)
{
    if (type == element) {
        memcpy(values, cells, n * hetad_mpi_width(element));
    } else {
        hetad_mpi_check(MPI_Sendrecv(cells, count, type, 0, 0, values, hetad_mpi_int(n), element, 0, 0, MPI_COMM_SELF,
                                     MPI_STATUS_IGNORE));
    }
}

static void hetad_mpi_unpack(void *cells, int count, MPI_Datatype type, void *values, size_t n, MPI_Datatype element)
{
    if (type == element) {
        memcpy(cells, values, n * hetad_mpi_width(element));
    } else {
        hetad_mpi_check(MPI_Sendrecv(values, hetad_mpi_int(n), element, 0, 0, cells, count, type, 0, 0, MPI_COMM_SELF,
                                     MPI_STATUS_IGNORE));
    }
}

// Some elements in memory of adjoints; there may be none of these, and then they are zero.
struct hetad_mpi_cells {
    char *memory;
    int count;
    MPI_Datatype type;
    MPI_Datatype element;
    int on_device;
};

static size_t hetad_mpi_length(const struct hetad_mpi_cells *c)
{
    return hetad_mpi_numbers(c->count, c->type, c->element);
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
    hetad_mpi_pack(here, c->count, c->type, values, n, c->element);
    hetad_mpi_unpack(here, c->count, c->type, zeros, n, c->element);
    free(zeros);
    hetad_mpi_close(here, c->memory, bytes, c->on_device);
}

static void *hetad_mpi_take(const struct hetad_mpi_cells *c)
{
    void *values = hetad_mpi_room(hetad_mpi_length(c) * hetad_mpi_width(c->element));
    hetad_mpi_take_to(c, values);
    return values;
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
        void *sum = hetad_mpi_room(n * hetad_mpi_width(c->element));
        hetad_mpi_pack(here, c->count, c->type, sum, n, c->element);
        hetad_mpi_add(sum, values, n, c->element);
        hetad_mpi_unpack(here, c->count, c->type, sum, n, c->element);
        free(sum);
    }
    hetad_mpi_close(here, c->memory, bytes, c->on_device);
}

// `where` tells of memory whether the device has it (1), and twice the bytes of a number there, if that is known.
static struct hetad_mpi_cells hetad_mpi_some(void *memory, int count, MPI_Datatype type, MPI_Datatype element,
                                             int where)
{
    struct hetad_mpi_cells c;
    if (memory != NULL && memory != MPI_IN_PLACE && element != MPI_DATATYPE_NULL && where / 2 != 0 &&
        (size_t)(where / 2) != hetad_mpi_width(element)) {
        hetad_fail("active data is sent as numbers of another type than it has");
    }
    c.memory = (char *)memory;
    c.count = count;
    c.type = type;
    c.element = element;
    c.on_device = where % 2;
    return c;
}

// Of what a type of MPI consists by which memory is sent; numbers with derivatives have types of their own.
static MPI_Datatype hetad_mpi_element_in(const void *memory, int where, MPI_Datatype type)
{
    const MPI_Datatype element = hetad_mpi_element(type);
    const int bytes = type == MPI_BYTE || type == MPI_PACKED || type == MPI_CHAR || type == MPI_SIGNED_CHAR ||
                      type == MPI_UNSIGNED_CHAR;
    if (element == MPI_DATATYPE_NULL && bytes && memory != NULL && where / 2 != 0) {
        hetad_fail("active data is sent as bytes: send it as MPI_FLOAT or MPI_DOUBLE");
    }
    return element;
}

// Beside each communicator there is one for adjoints, whose messages no receive of the program's can take.
static int hetad_mpi_key = MPI_KEYVAL_INVALID;

static MPI_Comm hetad_mpi_found(MPI_Comm communicator)
{
    MPI_Comm *found = NULL;
    int there = 0;
    if (hetad_mpi_key != MPI_KEYVAL_INVALID) {
        hetad_mpi_check(MPI_Comm_get_attr(communicator, hetad_mpi_key, &found, &there));
    }
    return there ? *found : MPI_COMM_NULL;
}

static void hetad_mpi_joined(MPI_Comm communicator)
{
    if (communicator == MPI_COMM_NULL || hetad_mpi_found(communicator) != MPI_COMM_NULL) {
        return;
    }
    if (hetad_mpi_key == MPI_KEYVAL_INVALID) {
        hetad_mpi_check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &hetad_mpi_key, NULL));
    }
    MPI_Comm *beside = (MPI_Comm *)hetad_mpi_room(sizeof *beside);
    hetad_mpi_check(MPI_Comm_dup(communicator, beside));
    hetad_mpi_check(MPI_Comm_set_attr(communicator, hetad_mpi_key, beside));
}

// Two of them, one beside the other.
static void hetad_mpi_joined_twice(MPI_Comm communicator)
{
    hetad_mpi_joined(communicator);
    if (communicator != MPI_COMM_NULL) {
        hetad_mpi_joined(hetad_mpi_found(communicator));
    }
}

static MPI_Comm hetad_mpi_beside(MPI_Comm communicator)
{
    MPI_Comm beside = hetad_mpi_found(communicator);
    if (beside == MPI_COMM_NULL) {
        hetad_fail("adjoints go along a communicator that the function was neither given nor has made: pass it as a "
                   "parameter of its own");
    }
    return beside;
}

// What the program frees the reverse sweep may still use: it goes when the call ends.
struct hetad_mpi_freed {
    MPI_Comm communicator;
    MPI_Datatype type;
};

static struct hetad_mpi_freed *hetad_mpi_later;

static size_t hetad_mpi_later_count;

static size_t hetad_mpi_later_room;

static void hetad_mpi_free_later(MPI_Comm communicator, MPI_Datatype type)
{
    if (hetad_mpi_later_count == hetad_mpi_later_room) {
        hetad_mpi_later_room = 2 * hetad_mpi_later_room + 8;
        hetad_mpi_later = (struct hetad_mpi_freed *)realloc(hetad_mpi_later,
                                                            hetad_mpi_later_room * sizeof *hetad_mpi_later);
        if (hetad_mpi_later == NULL) {
            hetad_fail("out of host memory");
        }
    }
    hetad_mpi_later[hetad_mpi_later_count].communicator = communicator;
    hetad_mpi_later[hetad_mpi_later_count++].type = type;
}

static int hetad_mpi_comm_free(MPI_Comm *communicator)
{
    hetad_mpi_free_later(*communicator, MPI_DATATYPE_NULL);
    *communicator = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

static int hetad_mpi_type_free(MPI_Datatype *type)
{
    hetad_mpi_free_later(MPI_COMM_NULL, *type);
    *type = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}

static void hetad_mpi_free_all(MPI_Comm communicator)
{
    const MPI_Comm beside = hetad_mpi_found(communicator);
    if (beside != MPI_COMM_NULL) {
        hetad_mpi_free_all(beside);
    }
    hetad_mpi_check(MPI_Comm_free(&communicator));
}

static void hetad_mpi_free_now(void)
{
    for (size_t i = 0; i < hetad_mpi_later_count; ++i) {
        struct hetad_mpi_freed *f = &hetad_mpi_later[i];
        if (f->type != MPI_DATATYPE_NULL) {
            hetad_mpi_check(MPI_Type_free(&f->type));
        }
        if (f->communicator != MPI_COMM_NULL) {
            hetad_mpi_free_all(f->communicator);
        }
    }
    hetad_mpi_later_count = 0;
}
