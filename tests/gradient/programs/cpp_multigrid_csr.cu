/*---
function = "relax"
wrt = ["rhs", "diagonal"]
of = ["x", "residual"]
[inputs]
rhs = { shape = [40], random = 1 }
diagonal = { shape = [40], random_uniform = 2, low = 3.0, high = 4.0 }
x = { zeros = [40] }
residual = { zeros = [1] }
n = 40
sweeps = 5
---*/
// Sparse matrices in CSR and hybrid ELL/COO form behind one interface, Jacobi and Chebyshev smoothing.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

inline void throw_on_error(cudaError_t code, const char *file, int line)
{
    if (code != cudaSuccess) {
        std::string where = std::string(file) + "(" + std::to_string(line) + ")";
        throw std::runtime_error(where);
    }
}
#define TRY(x) throw_on_error((x), __FILE__, __LINE__)

template <typename IndexType, typename ValueType> struct Entry {
    IndexType row, col;
    ValueType value;
};

template <class T> struct device_buffer {
    T *ptr;
    std::size_t count;
    device_buffer(const std::vector<T> &v) : ptr(nullptr), count(v.size())
    {
        TRY(cudaMalloc(&ptr, sizeof(T) * std::max<std::size_t>(count, 1)));
        TRY(cudaMemcpy(ptr, v.data(), sizeof(T) * count, cudaMemcpyHostToDevice));
    }
    explicit device_buffer(std::size_t n) : device_buffer(std::vector<T>(n)) {}
    ~device_buffer() { cudaFree(ptr); }
    device_buffer(const device_buffer &) = delete;
    device_buffer &operator=(const device_buffer &) = delete;
    T *begin() { return ptr; }
    std::vector<T> host() const
    {
        std::vector<T> v(count);
        TRY(cudaMemcpy(v.data(), ptr, sizeof(T) * count, cudaMemcpyDeviceToHost));
        return v;
    }
};

template <typename V, int VECTOR_SIZE>
__global__ void csr_vector(int n, const int *ptr, const int *cols, const V *vals, const V *x, V *y, V alpha, V beta)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / VECTOR_SIZE, lane = threadIdx.x & (VECTOR_SIZE - 1);
    V sum = 0;
    if (row < n)
        for (int jj = ptr[row] + lane; jj < ptr[row + 1]; jj += VECTOR_SIZE)
            sum += vals[jj] * x[cols[jj]];
#pragma unroll
    for (int d = VECTOR_SIZE / 2; d > 0; d >>= 1)
        sum += __shfl_down_sync(0xffffffffu, sum, d, VECTOR_SIZE);
    if (row < n && lane == 0)
        y[row] = alpha * sum + beta * y[row];
}
template <typename V> __global__ void ell(int n, int width, const int *cols, const V *vals, const V *x, V *y, V alpha, V beta)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n)
        return;
    V sum = 0;
    for (int k = 0; k < width; ++k) {
        const int col = cols[k * n + row];
        if (col != -1)
            sum += vals[k * n + row] * x[col];
    }
    y[row] = alpha * sum + beta * y[row];
}
template <typename V> __global__ void coo(int nnz, const int *rows, const int *cols, const V *vals, const V *x, V *y, V alpha)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < nnz; i += gridDim.x * blockDim.x)
        atomicAdd(y + rows[i], alpha * vals[i] * x[cols[i]]);
}

template <class Derived, typename V> class Matrix {
public:
    const int n;
    void apply(V alpha, const V *x, V beta, V *y) const { static_cast<const Derived &>(*this).multiply(alpha, x, beta, y); }

protected:
    explicit Matrix(int n) : n(n) {}
};

template <typename V> class CsrMatrix : public Matrix<CsrMatrix<V>, V> {
    device_buffer<int> ptr, cols;
    device_buffer<V> vals;
    static std::vector<int> offsets(const std::vector<Entry<int, V>> &e, int n)
    {
        std::vector<int> p(n + 1);
        for (const auto &one : e)
            p[one.row + 1]++;
        for (int i = 0; i < n; ++i)
            p[i + 1] += p[i];
        return p;
    }

public:
    CsrMatrix(const std::vector<Entry<int, V>> &e, const std::vector<int> &c, const std::vector<V> &v, int n)
        : Matrix<CsrMatrix<V>, V>(n), ptr(offsets(e, n)), cols(c), vals(v)
    {
    }
    void multiply(V alpha, const V *x, V beta, V *y) const
    {
        constexpr int lanes = 4;
        csr_vector<V, lanes><<<(this->n * lanes + 63) / 64, 64>>>(this->n, ptr.ptr, cols.ptr, vals.ptr, x, y, alpha, beta);
    }
};

template <typename V> class HybridMatrix : public Matrix<HybridMatrix<V>, V> {
    int width;
    device_buffer<int> ell_cols;
    device_buffer<V> ell_vals;
    device_buffer<int> rows, cols;
    device_buffer<V> vals;

public:
    HybridMatrix(int n, int w, const std::vector<int> &ec, const std::vector<V> &ev, const std::vector<int> &r,
                 const std::vector<int> &c, const std::vector<V> &v)
        : Matrix<HybridMatrix<V>, V>(n), width(w), ell_cols(ec), ell_vals(ev), rows(r), cols(c), vals(v)
    {
        assert(r.size() == c.size() && c.size() == v.size());
    }
    static HybridMatrix from(const std::vector<Entry<int, V>> &entries, int n, int w)
    {
        std::vector<int> count(n, 0), ec(n * w, -1), r, c;
        std::vector<V> ev(n * w), v;
        for (const Entry<int, V> &e : entries)
            if (int &k = count[e.row]; k < w) {
                ec[k * n + e.row] = e.col;
                ev[k * n + e.row] = e.value;
                k++;
            } else {
                r.push_back(e.row);
                c.push_back(e.col);
                v.push_back(e.value);
            }
        return HybridMatrix(n, w, ec, ev, r, c, v);
    }
    void multiply(V alpha, const V *x, V beta, V *y) const
    {
        ell<<<(this->n + 63) / 64, 64>>>(this->n, width, ell_cols.ptr, ell_vals.ptr, x, y, alpha, beta);
        if (vals.count)
            coo<<<1, 32>>>(int(vals.count), rows.ptr, cols.ptr, vals.ptr, x, y, alpha);
    }
};

__global__ void jacobi_update(double *x, const double *r, const double *d, int n, double omega)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += omega * r[i] / d[i];
}

template <class M> double smooth(const M &A, double *x, const double *b, const double *d, double *r, int sweeps)
{
    const int n = A.n;
    double omega = 0.7;
    for (int s = 0; s < sweeps; ++s) {
        TRY(cudaMemcpy(r, b, n * sizeof(double), cudaMemcpyDeviceToDevice));
        A.apply(-1.0, x, 1.0, r);
        jacobi_update<<<(n + 63) / 64, 64>>>(x, r, d, n, omega);
        omega = omega * (1.0 + 0.1 * s);
    }
    std::vector<double> h(n);
    TRY(cudaMemcpy(h.data(), r, n * sizeof(double), cudaMemcpyDeviceToHost));
    double sum = 0;
    for (const double &v : h)
        sum += v * v;
    return std::sqrt(sum);
}

void relax(double *x, double *residual, const double *rhs, const double *diagonal, int n, int sweeps)
{
    std::vector<Entry<int, double>> entries;
    for (int i = 0; i < n; ++i) {
        entries.push_back({i, i, diagonal[i]});
        for (int step : {1, 7})
            for (int sign = -1; sign <= 1; sign += 2)
                if (int j = i + sign * step; j >= 0 && j < n)
                    entries.push_back({i, j, -0.5 / step});
    }
    std::vector<int> columns;
    std::vector<double> values;
    for (auto &[row, col, value] : entries) {
        columns.emplace_back(col);
        values.emplace_back(value);
    }
    CsrMatrix<double> A(entries, columns, values, n);
    HybridMatrix<double> H = HybridMatrix<double>::from(entries, n, 3);
    device_buffer<double> u(n), r(n), b(std::vector<double>(rhs, rhs + n)), d(std::vector<double>(diagonal, diagonal + n));
    *residual = smooth(A, u.begin(), b.begin(), d.begin(), r.begin(), sweeps);
    *residual += smooth(H, u.begin(), b.begin(), d.begin(), r.begin(), sweeps);
    const auto solution = u.host();
    std::copy(solution.begin(), solution.end(), x);
}

int main(int argc, char **argv)
{
    try {
        const int n = argc > 1 ? std::stoi(argv[1]) : 100;
        double load = 1.0, residual;
        std::vector<double> x(n), rhs(n, load), diagonal(n, 3.5);
        relax(x.data(), &residual, rhs.data(), diagonal.data(), n, 10);
        std::cout << "residual " << residual << "\n";
    } catch (const std::exception &e) {
        std::cerr << e.what() << '\n';
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
