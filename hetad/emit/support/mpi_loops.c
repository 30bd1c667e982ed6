// Time loops in which ranks meet, under a memory limit.  All ranks follow one schedule: it is made for the largest state
// and step of any, and for the least room.  A step that is not recorded leaves nothing to be undone.
struct hetad_mpi_all_loops {
    MPI_Comm *ranks;  // of each that has begun
    size_t count, room;
};

static struct hetad_mpi_all_loops hetad_mpi_loops;

static void hetad_mpi_forget_loops(void)
{
    hetad_mpi_loops.count = 0;
}

static MPI_Comm hetad_mpi_ranks_of(const struct hetad_loop *loop)
{
    return hetad_mpi_beside(hetad_mpi_loops.ranks[loop->ranks]);
}

static int64_t hetad_mpi_agreed(const struct hetad_loop *loop, int64_t value, int largest)
{
    hetad_mpi_check(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, largest ? MPI_MAX : MPI_MIN,
                                  hetad_mpi_ranks_of(loop)));
    return value;
}

// A message that the program has sent, or has received without leaving an adjoint of it.
static inline void hetad_mpi_gone(int peer)
{
    hetad_mpi_state.sent += peer != MPI_PROC_NULL;
}

static inline void hetad_mpi_came(int peer)
{
    hetad_mpi_state.received += peer != MPI_PROC_NULL;
}

// Steps are run again from here on, or up to here: no message may be on its way from one step to another.
static void hetad_mpi_check_ways(const struct hetad_loop *loop)
{
    int64_t on_way = hetad_mpi_state.sent - hetad_mpi_state.received;
    hetad_mpi_check(MPI_Allreduce(MPI_IN_PLACE, &on_way, 1, MPI_INT64_T, MPI_SUM, hetad_mpi_ranks_of(loop)));
    if (on_way != 0) {
        char text[160];
        snprintf(text, sizeof text,
                 "messages of one step of the time loop in line %d are received in another step: leave memory_limit out",
                 loop->line);
        hetad_fail(text);
    }
}

static void hetad_mpi_met(struct hetad_loop *loop, int ends)
{
    size_t *const counts[] = {&hetad_mpi_state.receive_count, &hetad_mpi_state.completed_count,
                              &hetad_mpi_reductions.count};
    if (ends && hetad_mpi_state.waiting > 0) {
        char text[120];
        snprintf(text, sizeof text, "a request of one step of the time loop in line %d is waited for in another step",
                 loop->line);
        hetad_fail(text);
    }
    if (ends && loop->mode != HETAD_SAVES) {
        while (hetad_mpi_state.receive_count > loop->met[0]) {
            hetad_mpi_drop_started(&hetad_mpi_state.receives[hetad_mpi_state.receive_count - 1]);  // if used
            --hetad_mpi_state.receive_count;
        }
        while (hetad_mpi_reductions.count > loop->met[2]) {
            free(hetad_mpi_reductions.kept[--hetad_mpi_reductions.count]);
        }
    }
    for (int i = 0; i < 3; ++i) {
        if (!ends) {
            loop->met[i] = *counts[i];
        } else if (loop->mode != HETAD_SAVES) {
            *counts[i] = loop->met[i];
        }
    }
}

static void hetad_mpi_open_loop(int line, size_t trips, MPI_Comm communicator)
{
    if (hetad_mpi_loops.count == hetad_mpi_loops.room) {
        hetad_mpi_loops.ranks =
            (MPI_Comm *)hetad_mpi_grown(hetad_mpi_loops.ranks, &hetad_mpi_loops.room, sizeof(MPI_Comm));
    }
    hetad_mpi_loops.ranks[hetad_mpi_loops.count++] = communicator;
    hetad_open_loop(line, trips);
    struct hetad_loop *loop = &hetad_loops[hetad_loop_depth - 1];
    loop->ranks = hetad_mpi_loops.count - 1;
    loop->agree = hetad_mpi_agreed;
    loop->met_ranks = hetad_mpi_met;
    loop->check_ways = hetad_mpi_check_ways;
    if (hetad_agreed(loop, trips, 1) != hetad_agreed(loop, trips, 0)) {
        hetad_not_as_often(loop);
    }
}
