__global__ void gemv(double *y, const double *a, long width, const double *x, int columns, int from, int to)
{
    int i = from + (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < to) {
        double sum = 0.0;
        for (int j = 0; j < columns; ++j)
            sum += a[i * width + j] * x[j];
        y[i] = sum * sum;
    }
}
void f(double *y, const double *a, const double *x, int n, int m)
{
    long from = 0, to = (long)n;
    if (from < to) {
        long count = to - from;
        unsigned blocks = (unsigned)((count + 256 - 1) / 256);
        gemv<<<blocks, 256>>>(y, a, (long)m, x, m, (int)from, (int)to);
    }
}
