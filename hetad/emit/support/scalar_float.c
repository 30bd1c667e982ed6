// The adjoint of a scalar that kernels accumulated in a cell of device memory.
static void hetad_read_scalar_float(float *adj, float *cell)
{
    float sum = 0;
    hetad_check(cudaMemcpy(&sum, cell, sizeof sum, cudaMemcpyDeviceToHost));
    hetad_check(cudaMemset(cell, 0, sizeof sum));
    *adj += sum;
}
