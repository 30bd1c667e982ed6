/*---
function = "transposed"
wrt = ["a"]
of = ["b"]
[inputs]
b = { zeros = [60] }
a = { shape = [60], random = 1 }
rows = 10
cols = 6
---*/
// Views with layouts as policies, deduced from constructors (CTAD), rows as views of their own, shared padded tiles.
struct RowMajor {
    __host__ __device__ static constexpr int index(int r, int c, int, int cols) { return r * cols + c; }
};
struct ColumnMajor {
    __host__ __device__ static constexpr int index(int r, int c, int rows, int) { return c * rows + r; }
};

template <class T, class Layout = RowMajor> class View2D {
    T *data_;
    int rows_, cols_;

public:
    using value_type = T;
    __host__ __device__ View2D(T *d, int r, int c) : data_{d}, rows_{r}, cols_{c} {}
    __host__ __device__ T &operator()(int r, int c) const { return data_[Layout::index(r, c, rows_, cols_)]; }
    __host__ __device__ int rows() const { return rows_; }
    __host__ __device__ int cols() const { return cols_; }
    template <class Other> __host__ __device__ View2D<T, Other> with() const { return View2D<T, Other>(data_, cols_, rows_); }
};

template <class T, int N, int Pad = 1> struct Tile {
    T data[N][N + Pad];
    __device__ T *operator[](int r) { return data[r]; }
};

template <int N, class From, class To> __global__ void transpose(From from, To to)
{
    __shared__ Tile<typename From::value_type, N> tile;
    int r = blockIdx.y * N + threadIdx.y, c = blockIdx.x * N + threadIdx.x;
    if (r < from.rows() && c < from.cols())
        tile[threadIdx.y][threadIdx.x] = from(r, c) * from(r, c);
    __syncthreads();
    r = blockIdx.x * N + threadIdx.y;
    c = blockIdx.y * N + threadIdx.x;
    if (r < to.rows() && c < to.cols())
        to(r, c) = tile[threadIdx.x][threadIdx.y];
}

template <class V> __global__ void smooth(V v)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= v.rows())
        return;
    for (int c = 1; c < v.cols(); ++c)
        v(r, c) = 0.5 * v(r, c) + 0.5 * v(r, c - 1);
}

void transposed(double *b, double *a, int rows, int cols)
{
    double *d_a, *d_b;
    const size_t bytes = static_cast<size_t>(rows) * cols * sizeof(double);
    cudaMalloc(&d_a, bytes);
    cudaMalloc(&d_b, bytes);
    cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice);
    View2D from(d_a, rows, cols);
    View2D to(d_b, cols, rows);
    constexpr int n = 4;
    transpose<n><<<dim3((cols + n - 1) / n, (rows + n - 1) / n), dim3(n, n)>>>(from, to);
    smooth<<<2, 4>>>(to);
    smooth<<<3, 4>>>(to.with<ColumnMajor>());
    cudaMemcpy(b, d_b, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_b);
}
