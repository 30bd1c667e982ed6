// A tape for the threads of a pullback: room for the cells that the counting launch found, [slot][thread].
static void hetad_tape_allocate(void **tape, const unsigned *depth, dim3 grid, dim3 block, size_t bytes)
{
    unsigned cells = 0;
    hetad_check(cudaMemcpy(&cells, depth, sizeof cells, cudaMemcpyDeviceToHost));
    size_t threads = (size_t)grid.x * grid.y * grid.z * block.x * block.y * block.z;
    hetad_device_malloc(tape, cells * threads * bytes);
}
