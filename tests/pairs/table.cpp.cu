enum class Side : int { left = -1, right = 1 };
__global__ void f(double *y, const double *x, int n)
{
    constexpr double w[3] = {0.25, 0.5, 0.25};
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n + static_cast<int>(Side::left)) {
        double sum = 0.0;
        for (int k = 0; k < 3; ++k)
            sum += w[k] * std::sin(x[i + k - 1]);
        y[i] = sum;
    }
}
