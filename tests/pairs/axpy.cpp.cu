__global__ void f(double *y, const double *x, double a, int n)
{
    const auto i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) {
        auto &out = y[i];
        out = a * x[i] * x[i] + out;
    }
}
