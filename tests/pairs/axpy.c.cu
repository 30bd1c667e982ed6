__global__ void f(double *y, const double *x, double a, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        y[i] = a * x[i] * x[i] + y[i];
}
