namespace tiles {
constexpr int size = 4;
}
template <int N> using row_of = double[N];
__global__ void f(double *c, const double *a, const double *b, int n)
{
    using namespace tiles;
    __shared__ row_of<size> sa[size], sb[size];
    int row = blockIdx.y * size + threadIdx.y, col = blockIdx.x * size + threadIdx.x;
    double sum{0.0};
    for (int k0 = 0; k0 < n; k0 += size) {
        sa[threadIdx.y][threadIdx.x] = a[row * n + (k0 + threadIdx.x)];
        sb[threadIdx.y][threadIdx.x] = b[(k0 + threadIdx.y) * n + col];
        __syncthreads();
        for (int k = 0; k < size; ++k)
            sum += sa[threadIdx.y][k] * sb[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}
