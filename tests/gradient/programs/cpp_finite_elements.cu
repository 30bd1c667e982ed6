/*---
function = "assemble"
wrt = ["x", "conductivity"]
of = ["matrix", "area"]
[inputs]
matrix = { zeros = [36] }
area = { zeros = [1] }
x = { values = [0.0, 0.0, 1.1, 0.1, 2.0, -0.1, 0.1, 0.9, 1.0, 1.2, 2.1, 1.0] }
conductivity = { shape = [4], random_uniform = 1, low = 0.5, high = 2.0 }
triangles = { values = [0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4] }
elements = 4
nodes = 6
---*/
// Triangles of linear elements: small matrices of any size with operators, a trait for the element, atomics on assembly.
template <class T, int R, int C> class Matrix {
public:
    static constexpr int rows = R, columns = C;
    __host__ __device__ T &operator()(int r, int c) { return values[r][c]; }
    __host__ __device__ T operator()(int r, int c) const { return values[r][c]; }
    __host__ __device__ static Matrix zero()
    {
        Matrix m;
        for (auto &row : m.values)
            for (auto &v : row)
                v = T(0);
        return m;
    }
    __host__ __device__ Matrix<T, C, R> transposed() const
    {
        Matrix<T, C, R> m;
        for (int r = 0; r < R; ++r)
            for (int c = 0; c < C; ++c)
                m(c, r) = values[r][c];
        return m;
    }

private:
    template <class, int, int> friend class Matrix;
    T values[R][C];
};

template <class T, int R, int K, int C>
__host__ __device__ Matrix<T, R, C> operator*(const Matrix<T, R, K> &a, const Matrix<T, K, C> &b)
{
    auto m = Matrix<T, R, C>::zero();
    for (int r = 0; r < R; ++r)
        for (int c = 0; c < C; ++c)
            for (int k = 0; k < K; ++k)
                m(r, c) += a(r, k) * b(k, c);
    return m;
}
template <class T, int R, int C> __host__ __device__ Matrix<T, R, C> operator*(T s, Matrix<T, R, C> m)
{
    for (int r = 0; r < R; ++r)
        for (int c = 0; c < C; ++c)
            m(r, c) *= s;
    return m;
}
template <class T> __host__ __device__ T det(const Matrix<T, 2, 2> &m) { return m(0, 0) * m(1, 1) - m(0, 1) * m(1, 0); }
template <class T> __host__ __device__ Matrix<T, 2, 2> inverse(const Matrix<T, 2, 2> &m)
{
    Matrix<T, 2, 2> out;
    out(0, 0) = m(1, 1);
    out(1, 1) = m(0, 0);
    out(0, 1) = -m(0, 1);
    out(1, 0) = -m(1, 0);
    return (T(1) / det(m)) * out;
}

struct Triangle {
    static constexpr int nodes = 3;
    __device__ static Matrix<double, 2, 3> gradients()
    {
        auto g = Matrix<double, 2, 3>::zero();
        g(0, 0) = g(1, 0) = -1.0;
        g(0, 1) = g(1, 2) = 1.0;
        return g;
    }
};

template <class Element>
__global__ void assemble_kernel(double *matrix, double *area, const double2 *x, const double *k, const int *mesh, int elements, int n)
{
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= elements)
        return;
    const int *own = mesh + e * Element::nodes;
    Matrix<double, 2, 2> jacobian;
    for (int d = 0; d < 2; ++d) {
        const double2 edge{x[own[d + 1]].x - x[own[0]].x, x[own[d + 1]].y - x[own[0]].y};
        jacobian(d, 0) = edge.x;
        jacobian(d, 1) = edge.y;
    }
    const auto b = inverse(jacobian) * Element::gradients();
    const double size = 0.5 * fabs(det(jacobian));
    const auto local = (size * k[e]) * (b.transposed() * b);
    atomicAdd(area, size);
    for (int i = 0; i < Element::nodes; ++i)
        for (int j = 0; j < Element::nodes; ++j)
            atomicAdd(&matrix[own[i] * n + own[j]], local(i, j));
}

void assemble(double *matrix, double *area, const double *x, const double *conductivity, const int *triangles, int elements, int nodes)
{
    double *d_matrix, *d_area, *d_k;
    double2 *d_x;
    int *d_mesh;
    cudaMalloc(&d_matrix, nodes * nodes * sizeof(double));
    cudaMalloc(&d_area, sizeof(double));
    cudaMalloc(&d_k, elements * sizeof(double));
    cudaMalloc(&d_x, nodes * sizeof(double2));
    cudaMalloc(&d_mesh, 3 * elements * sizeof(int));
    cudaMemset(d_matrix, 0, nodes * nodes * sizeof(double));
    cudaMemset(d_area, 0, sizeof(double));
    cudaMemcpy(d_k, conductivity, elements * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_x, x, nodes * sizeof(double2), cudaMemcpyHostToDevice);
    cudaMemcpy(d_mesh, triangles, 3 * elements * sizeof(int), cudaMemcpyHostToDevice);
    assemble_kernel<Triangle><<<(elements + 2) / 3, 3>>>(d_matrix, d_area, d_x, d_k, d_mesh, elements, nodes);
    cudaMemcpy(matrix, d_matrix, nodes * nodes * sizeof(double), cudaMemcpyDeviceToHost);
    cudaMemcpy(area, d_area, sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_matrix);
    cudaFree(d_area);
    cudaFree(d_k);
    cudaFree(d_x);
    cudaFree(d_mesh);
}
