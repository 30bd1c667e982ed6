// As hetad_tape_allocate, with room in each set for the cells that one of them needs.
static void hetad_tape_allocate_sets(void **tape, const unsigned *depth, dim3 grid, dim3 block, size_t bytes)
{
    unsigned *cells = (unsigned *)malloc(hetad_sets * sizeof *cells), most = 0;
    if (cells == NULL) {
        hetad_fail("out of host memory");
    }
    hetad_check(hetad_copy_sets(cells, sizeof *cells, depth, hetad_set_bytes(depth), sizeof *cells, cudaMemcpyDeviceToHost));
    for (size_t set = 0; set < hetad_sets; ++set) {
        most = cells[set] > most ? cells[set] : most;
    }
    free(cells);
    size_t threads = (size_t)grid.x * grid.y * grid.z * block.x * block.y * block.z;
    hetad_device_malloc(tape, hetad_of_sets(most * threads * bytes));
}
