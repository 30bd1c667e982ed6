// The launch before must have worked; one without blocks does nothing and may be refused.
static void hetad_launched(dim3 grid)
{
    cudaError_t error = cudaGetLastError();
    if (grid.x > 0 && grid.y > 0 && grid.z > 0) {
        hetad_check(error);
    }
}

// The program's own launches may have been refused without anybody asking: they did nothing, here as in the primal.
static void hetad_primal_launched(void)
{
    cudaError_t error = cudaGetLastError();
    if (error != cudaErrorInvalidConfiguration) {
        hetad_check(error);
    }
}

static void hetad_forward_done(void)
{
    hetad_watch_turn();  // if used
    hetad_primal_launched();
}
