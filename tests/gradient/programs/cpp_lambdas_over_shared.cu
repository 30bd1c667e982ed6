/*---
function = "run"
wrt = ["x", "factor"]
of = ["x", "y"]
[inputs]
x = { shape = [16], random = 1 }
y = { zeros = [2] }
factor = 0.7
---*/
// Lambdas that name variables in shared memory, which they do not capture: arrays, scalars, and memory of the launch's length;
// lambdas in lambdas, in instances of a template, with barriers.
template <class T, int N> __global__ void rows(T *x, T factor)
{
    __shared__ T tile[N][N + 1];
    __shared__ T scale;
    const int t = threadIdx.x, i = blockIdx.x * N + t;
    if (t == 0)
        scale = factor * factor;
    __syncthreads();
    auto put = [&](auto row, auto column, T v) { tile[row][column] = v * scale; };
    for (int j = 0; j < N; j++)
        put(t, j, x[i] * (t + j));
    __syncthreads();
    auto column = [=](int c) {
        auto at = [&](int r) { return tile[r][c]; };
        T sum = 0;
        for (int r = 0; r < N; r++)
            sum += at(r) * (sizeof(tile) / sizeof(tile[0]));
        return sum;
    };
    x[i] = column(t) * scale;
}

__global__ void fold(double *y, const double *x)
{
    extern __shared__ double sums[];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    auto put = [&](double v) { sums[t] = v; };
    put(sin(x[i]));
    __syncthreads();
    auto add = [&](int width) {
        if (t < width)
            sums[t] += sums[t + width] * sums[t];
        __syncthreads();
    };
    for (int width = blockDim.x / 2; width > 0; width /= 2)
        add(width);
    if (t == 0)
        y[blockIdx.x] = sums[0] * sums[0];
}

void run(double *x, double *y, double factor)
{
    rows<double, 8><<<2, 8>>>(x, factor);
    fold<<<2, 8, 8 * sizeof(double)>>>(y, x);
}
