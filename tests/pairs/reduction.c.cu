__global__ void f(double *y, const double *x, int n)
{
    unsigned rank = threadIdx.x;
    int i = blockIdx.x * blockDim.x + rank;
    double v = i < n ? x[i] * x[i] : 0.0;
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffffu, v, d, 32);
    if (rank % 32u == 0)
        atomicAdd(y, v);
}
