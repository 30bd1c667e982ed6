/*---
function = "apply"
wrt = ["y", "a", "x"]
of = ["y"]
[inputs]
y = { shape = [40], random = 5 }
a = { shape = [9], random = 1 }
x = { shape = [40], random = 2 }
n = 40
---*/
// A class template with types and numbers as parameters, its element accessor, and function templates over it.
template <typename T, int ROWS, int COLS> class Matrix {
public:
    __host__ __device__ T &operator()(int i, int j) { return data[i * COLS + j]; }
    __host__ __device__ const T &operator()(int i, int j) const { return data[i * COLS + j]; }
    __host__ __device__ static constexpr int rows() { return ROWS; }
    __host__ __device__ T trace() const
    {
        T sum = T(0);
        for (int i = 0; i < ROWS; ++i)
            sum += (*this)(i, i);
        return sum;
    }

private:
    T data[ROWS * COLS];
};

template <typename T, int N, int K, int M>
__host__ __device__ Matrix<T, N, M> operator*(const Matrix<T, N, K> &a, const Matrix<T, K, M> &b)
{
    Matrix<T, N, M> c;
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < M; ++j) {
            c(i, j) = T(0);
            for (int k = 0; k < K; ++k)
                c(i, j) += a(i, k) * b(k, j);
        }
    return c;
}

template <class T> __global__ void apply_kernel(T *y, const T *a, const T *x, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n / 4)
        return;
    Matrix<T, 3, 3> m;
    for (int i = 0; i < m.rows(); ++i)
        for (int j = 0; j < m.rows(); ++j)
            m(i, j) = a[3 * i + j];
    Matrix<T, 3, 1> v;
    for (int i = 0; i < 3; ++i)
        v(i, 0) = x[4 * t + i];
    const auto w = (m * m) * v;
    for (int i = 0; i < 3; ++i)
        y[4 * t + i] += w(i, 0) * m.trace();
    y[4 * t + 3] *= x[4 * t + 3];
}

void apply(double *y, const double *a, const double *x, int n)
{
    double *d_y, *d_a, *d_x;
    cudaMalloc(&d_y, n * sizeof(double));
    cudaMalloc(&d_a, 9 * sizeof(double));
    cudaMalloc(&d_x, n * sizeof(double));
    cudaMemcpy(d_y, y, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_a, a, 9 * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_x, x, n * sizeof(double), cudaMemcpyHostToDevice);
    apply_kernel<double><<<1, 16>>>(d_y, d_a, d_x, n);
    cudaMemcpy(y, d_y, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_y);
    cudaFree(d_a);
    cudaFree(d_x);
}
