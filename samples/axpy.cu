// y += a * x, the "hello world" of numerical kernels.
//
// The arrays live on the device and the factor `a` is a double passed by value, so its gradient is a single number:
// adj_a = sum over i of adj_y[i] * x[i], a sum over all threads.  hetad reduces it within each thread block first and
// lets one thread per block add to the total.  y is both input and output: its adjoint is the seed on entry, and,
// since the old y passes through unchanged, the gradient with respect to the y that came in.

__global__ void axpy_kernel(int n, double a, const double *x, double *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += a * x[i];
}

// x and y are device pointers.
void axpy(int n, double a, const double *x, double *y)
{
    int threads = 256;
    axpy_kernel<<<(n + threads - 1) / threads, threads>>>(n, a, x, y);
}
