__global__ void axpy(double a, const double *x, double *y, int from, int to)
{
    int i = from + (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < to)
        y[i] += a * x[i] * x[i];
}
void f(double *y, const double *x, double a, int n)
{
    long from = 0, to = (long)n;
    if (from < to) {
        long count = to - from;
        unsigned blocks = (unsigned)((count + 256 - 1) / 256);
        axpy<<<blocks, 256>>>(a, x, y, (int)from, (int)to);
    }
}
