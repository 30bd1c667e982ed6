// The smallest program: one thread squares one number.
//
// It is differentiated in two ways.  square.toml takes the host function, so that the launch is part of what is
// reversed; square_kernel.toml takes the kernel itself, with the grid and the block given at the call.  Both answer
// adj_x_in[0] += 2 * x_in[0] * adj_x_out[0], and both clear adj_x_out[0], for the old x_out[0] is overwritten.

__global__ void square(double *x_out, const double *x_in)
{
    x_out[0] = x_in[0] * x_in[0];
}

void run_square(double *x_out, const double *x_in)
{
    square<<<1, 1>>>(x_out, x_in);
    cudaDeviceSynchronize();
}
