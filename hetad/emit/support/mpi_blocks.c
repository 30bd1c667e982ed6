// A block for each rank, in memory of adjoints.
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

// A block for each rank, `places` extents of the type from the start, or one behind the other; `numbers` and `starts`:
// the same, counted in numbers that lie one behind the other.  `but`: a rank whose block is none.
struct hetad_mpi_blocks {
    struct hetad_mpi_cells whole;
    size_t extent;
    int size, but;
    int *counts, *places, *numbers, *starts;
    size_t n;
};

static struct hetad_mpi_blocks hetad_mpi_cut_into(int size, struct hetad_mpi_cells whole, const int *counts,
                                                  const int *places, int but)
{
    struct hetad_mpi_blocks b;
    b.whole = whole;
    b.size = size;
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
        b.numbers[i] = hetad_mpi_int(b.counts[i] > 0 ? (size_t)b.counts[i] * whole.each : 0);
        b.starts[i] = hetad_mpi_int(b.n);
        b.n += (size_t)b.numbers[i];
    }
    return b;
}

static struct hetad_mpi_blocks hetad_mpi_cut(struct hetad_mpi_cells whole, const int *counts, const int *places,
                                             MPI_Comm communicator, int but)
{
    return hetad_mpi_cut_into(hetad_mpi_size(communicator), whole, counts, places, but);
}

static struct hetad_mpi_cells hetad_mpi_block(const struct hetad_mpi_blocks *b, int i)
{
    char *start = b->whole.memory == NULL ? NULL : b->whole.memory + (ptrdiff_t)b->extent * b->places[i];
    struct hetad_mpi_cells cells = b->whole;
    cells.memory = start;
    cells.count = b->counts[i];
    return cells;
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

// A single block.
static struct hetad_mpi_blocks hetad_mpi_one(struct hetad_mpi_cells cells)
{
    struct hetad_mpi_blocks b;
    b.whole = cells;
    b.size = 1;
    b.but = -1;
    b.extent = hetad_mpi_extent(cells.type);
    b.counts = (int *)hetad_mpi_room(4 * sizeof(int));
    b.places = b.counts + 1;
    b.numbers = b.counts + 2;
    b.starts = b.counts + 3;
    b.n = hetad_mpi_length(&cells);
    b.counts[0] = cells.count;
    b.numbers[0] = hetad_mpi_int(b.n);
    return b;
}

// The bytes up to the end of the last of some blocks.
static size_t hetad_mpi_bytes_to_end(int size, const int *counts, const int *places, MPI_Datatype type)
{
    size_t most = 0;
    for (int i = 0; i < size; ++i) {
        const size_t end = hetad_mpi_extent(type) * (size_t)places[i] + hetad_mpi_bytes(counts[i], type);
        most = counts[i] > 0 && end > most ? end : most;
    }
    return most;
}
