__global__ void f(double *y, const double *x, const double *w, int n)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= n)
        return;
    double hidden[3];
    for (int o = 0; o < 3; ++o) {
        double sum = 0.0;
        for (int i = 0; i < 4; ++i)
            sum += w[o * 4 + i] * x[b * 4 + i];
        hidden[o] = tanh(sum);
    }
    double total = 0.0;
    for (int k = 0; k < 3; ++k) {
        double h = hidden[k];
        total += h * h;
    }
    y[b] = total;
}
