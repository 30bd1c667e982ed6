// MPI: errors, begin and end, and the communicators on which adjoints go.
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
