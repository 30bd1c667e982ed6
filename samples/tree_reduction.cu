// The logarithm of a sum of exponentials, reduced by a tree in shared memory.
//
// log(sum exp(x_i)) is computed stably: the greatest element first, then the sum of exp(x_i - greatest), each by halving
// the number of active threads between barriers, in shared memory whose size the launch gives.  In reverse the tree is
// climbed from the root to the leaves: the maximum hands its adjoint to the branch it came from, the sum to both.  The
// gradient is the softmax of x, and its elements add up to one.

__global__ void log_sum_exp_kernel(double *result, const double *x, int n)
{
    extern __shared__ double work[];
    int t = threadIdx.x;
    double greatest = x[0];
    for (int i = t; i < n; i += blockDim.x)
        greatest = fmax(greatest, x[i]);
    work[t] = greatest;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half)
            work[t] = fmax(work[t], work[t + half]);
        __syncthreads();
    }
    greatest = work[0];
    __syncthreads();

    double sum = 0.0;
    for (int i = t; i < n; i += blockDim.x)
        sum += exp(x[i] - greatest);
    work[t] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half)
            work[t] += work[t + half];
        __syncthreads();
    }
    if (t == 0)
        *result = greatest + log(work[0]);
}

// The host function returns the number; x is a host array of n values.
double log_sum_exp(const double *x, int n)
{
    int threads = 64;
    double *d_x, *d_result, result;
    cudaMalloc((void **)&d_x, n * sizeof(double));
    cudaMalloc((void **)&d_result, sizeof(double));
    cudaMemcpy(d_x, x, n * sizeof(double), cudaMemcpyHostToDevice);
    log_sum_exp_kernel<<<1, threads, threads * sizeof(double)>>>(d_result, d_x, n);
    cudaMemcpy(&result, d_result, sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    cudaFree(d_result);
    return result;
}
