// What an MPI that is not CUDA-aware is given of the program: memory of a GPU would end the process.  Python says it.
static int hetad_mpi_on_host;
void hetad_mpi_keeps_to_host(int keeps)
{
    hetad_mpi_on_host = keeps;
}

static void hetad_mpi_reach(const void *buffer)
{
    if (hetad_mpi_on_host && buffer != NULL && buffer != MPI_IN_PLACE && hetad_rt->device_of(buffer) >= 0) {
        hetad_fail("this MPI is not CUDA-aware, and is given memory of a GPU: give it a copy in host memory, or use an MPI "
                   "that is built with CUDA (HETAD_MPI_CUDA_AWARE=1 if this one is)");
    }
}
