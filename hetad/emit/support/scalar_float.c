// The adjoint of a scalar that kernels accumulated in a cell of device memory.
static void hetad_read_scalar_float(float *adj, float *cell)
{
    float sum = 0;
    const int before = hetad_go_to(cell);  // if used
    hetad_check(cudaMemcpy(&sum, cell, sizeof sum, cudaMemcpyDeviceToHost));
    hetad_check(cudaMemset(cell, 0, sizeof sum));
    hetad_go_back(before);  // if used
    *adj += sum;
    for (void *p = NULL; (p = hetad_other_cell(cell, p)) != NULL;) hetad_read_scalar_float(adj, (float *)p);  // if used
}
