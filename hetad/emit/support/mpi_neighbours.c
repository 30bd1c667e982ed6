// Operations with the neighbours in a Cartesian communicator, reversed: what came from a neighbour goes back to it.
static int hetad_mpi_neighbour_count(MPI_Comm communicator)
{
    int kind, dimensions;
    hetad_mpi_check(MPI_Topo_test(communicator, &kind));
    if (kind != MPI_CART) {
        hetad_fail("operations with neighbours have derivatives on communicators of MPI_Cart_create");
    }
    hetad_mpi_check(MPI_Cartdim_get(communicator, &dimensions));
    return 2 * dimensions;
}

// Where there is no neighbour, nothing is sent, and the block stays as it is.
static struct hetad_mpi_blocks hetad_mpi_cut_near(struct hetad_mpi_cells whole, const int *counts, const int *places,
                                                  MPI_Comm communicator)
{
    const int size = hetad_mpi_neighbour_count(communicator);
    struct hetad_mpi_blocks b = hetad_mpi_cut_into(size, whole, counts, places, -1);
    b.n = 0;
    for (int i = 0; i < size; ++i) {
        int to[2];
        hetad_mpi_check(MPI_Cart_shift(communicator, i / 2, 1, &to[0], &to[1]));
        if (to[i % 2] == MPI_PROC_NULL) {
            b.counts[i] = b.numbers[i] = 0;
        }
        b.starts[i] = hetad_mpi_int(b.n);
        b.n += (size_t)b.numbers[i];
    }
    return b;
}

static void hetad_mpi_send_back(struct hetad_mpi_collective *c)
{
    c->values = hetad_mpi_take_blocks(&c->taken);
    c->mine = hetad_mpi_room_for(c, c->given.n);
    if (c->starts) {
        hetad_mpi_check(MPI_Ineighbor_alltoallv(c->values, c->taken.numbers, c->taken.starts, c->element, c->mine,
                                                c->given.numbers, c->given.starts, c->element, hetad_mpi_way(c),
                                                &c->request));
    } else {
        hetad_mpi_check(MPI_Neighbor_alltoallv(c->values, c->taken.numbers, c->taken.starts, c->element, c->mine,
                                               c->given.numbers, c->given.starts, c->element, hetad_mpi_way(c)));
    }
}

static void hetad_mpi_neighbor_alltoall_adjoint(struct hetad_mpi_collective *c)
{
    c->element = hetad_mpi_element_in(c->adj_to, c->where_to, c->block_type);
    if (c->element == MPI_DATATYPE_NULL) {
        return;
    }
    c->taken = hetad_mpi_cut_near(hetad_mpi_some(c->adj_to, c->block, c->block_type, c->element, c->where_to),
                                  c->counts, c->places, c->communicator);
    c->given = hetad_mpi_cut_near(hetad_mpi_some(c->adj_from, c->count, c->type, c->element, c->where_from), c->sent,
                                  c->sent_places, c->communicator);
    hetad_mpi_send_back(c);
}

// All neighbours get the same block: to this all that comes back is added.
static void hetad_mpi_neighbor_allgather_adjoint(struct hetad_mpi_collective *c)
{
    c->element = hetad_mpi_element_in(c->adj_to, c->where_to, c->block_type);
    if (c->element == MPI_DATATYPE_NULL) {
        return;
    }
    const size_t size = (size_t)hetad_mpi_neighbour_count(c->communicator);
    int *same = (int *)hetad_mpi_room(2 * size * sizeof(int));
    for (size_t i = 0; i < size; ++i) {
        same[i] = c->count;
    }
    c->taken = hetad_mpi_cut_near(hetad_mpi_some(c->adj_to, c->block, c->block_type, c->element, c->where_to),
                                  c->counts, c->places, c->communicator);
    c->given = hetad_mpi_cut_near(hetad_mpi_some(c->adj_from, c->count, c->type, c->element, c->where_from), same,
                                  same + size, c->communicator);
    free(same);
    hetad_mpi_send_back(c);
}

static void hetad_mpi_neighbor_alltoallv_pullback(void *adj_from, const int *sent, const int *sent_places, int count,
                                                  MPI_Datatype type, void *adj_to, const int *counts,
                                                  const int *places, int block, MPI_Datatype block_type,
                                                  MPI_Comm communicator, int where_from, int where_to)
{
    struct hetad_mpi_collective c =
        hetad_mpi_block_operands(adj_from, sent, sent_places, count, type, adj_to, counts, places, block, block_type,
                                 communicator, where_from, where_to);
    hetad_mpi_at_once(hetad_mpi_neighbor_alltoall_adjoint, c);
}

static void hetad_mpi_neighbor_allgatherv_pullback(void *adj_from, int count, MPI_Datatype type, void *adj_to,
                                                   const int *counts, const int *places, int block,
                                                   MPI_Datatype block_type, MPI_Comm communicator, int where_from,
                                                   int where_to)
{
    struct hetad_mpi_collective c =
        hetad_mpi_block_operands(adj_from, NULL, NULL, count, type, adj_to, counts, places, block, block_type,
                                 communicator, where_from, where_to);
    hetad_mpi_at_once(hetad_mpi_neighbor_allgather_adjoint, c);
}

// The bytes that an operation overwrites, at most.
static size_t hetad_mpi_bytes_of_near_blocks(const int *counts, const int *places, MPI_Datatype type,
                                             MPI_Comm communicator)
{
    return hetad_mpi_bytes_to_end(hetad_mpi_neighbour_count(communicator), counts, places, type);
}

static size_t hetad_mpi_bytes_of_near(int block, MPI_Datatype type, MPI_Comm communicator)
{
    return hetad_mpi_bytes(hetad_mpi_int((size_t)block * (size_t)hetad_mpi_neighbour_count(communicator)), type);
}
