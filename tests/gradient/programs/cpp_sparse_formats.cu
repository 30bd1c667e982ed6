/*---
function = "solve"
wrt = ["values", "b"]
of = ["x"]
[inputs]
values = { shape = [200], random_uniform = 1, low = 0.5, high = 1.5 }
b = { shape = [30], random = 2 }
x = { zeros = [30] }
rows = 30
---*/
// One matrix in three formats behind one interface of templates: assembled from triples, Jacobi sweeps by each.
#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <tuple>
#include <vector>

template <typename T> struct Buffer {
    T *data = nullptr;
    size_t count = 0;
    Buffer() = default;
    explicit Buffer(const std::vector<T> &from) : count(from.size())
    {
        cudaMalloc(&data, count * sizeof(T));
        cudaMemcpy(data, from.data(), count * sizeof(T), cudaMemcpyHostToDevice);
    }
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;
    ~Buffer() { cudaFree(data); }
};

struct Triple {
    int row, column;
    double value;
};

struct CsrView {
    const int *offsets, *columns;
    const double *values;
    template <class F> __device__ void each(int row, F f) const
    {
        for (int k = offsets[row]; k < offsets[row + 1]; ++k)
            f(columns[k], values[k]);
    }
};
struct EllView {
    const int *columns;
    const double *values;
    int rows, width;
    template <class F> __device__ void each(int row, F f) const
    {
        for (int k = 0; k < width; ++k) {
            const int c = columns[k * rows + row];
            if (c >= 0)
                f(c, values[k * rows + row]);
        }
    }
};

template <class Matrix> __global__ void sweep(Matrix a, const double *b, const double *x, double *y, int rows)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    double sum = b[row], diagonal = 8.0;
    a.each(row, [&](int column, double value) {
        if (column == row)
            diagonal += value;
        else
            sum -= value * x[column];
    });
    y[row] = sum / diagonal;
}
__global__ void coo_product(const int *rows, const int *columns, const double *values, const double *x, double *y, int entries)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < entries)
        atomicAdd(&y[rows[k]], values[k] * x[columns[k]]);
}

class Csr {
public:
    Csr(const std::vector<Triple> &t, int rows) : offsets(count(t, rows)), columns(column(t)), values(value(t)) {}
    CsrView view() const { return {offsets.data, columns.data, values.data}; }

private:
    Buffer<int> offsets, columns;
    Buffer<double> values;
    static std::vector<int> count(const std::vector<Triple> &t, int rows)
    {
        std::vector<int> found(rows + 1, 0);
        for (const auto &e : t)
            ++found[e.row + 1];
        for (int r = 0; r < rows; ++r)
            found[r + 1] += found[r];
        return found;
    }
    static std::vector<int> column(const std::vector<Triple> &t)
    {
        std::vector<int> found;
        for (const auto &e : t)
            found.push_back(e.column);
        return found;
    }
    static std::vector<double> value(const std::vector<Triple> &t)
    {
        std::vector<double> found;
        found.reserve(t.size());
        for (const auto &e : t)
            found.push_back(e.value);
        return found;
    }
};

void solve(double *x, const double *values, const double *b, int rows)
{
    std::vector<Triple> triples;
    for (int r = 0; r < rows; ++r)
        for (int k = 0; k < 1 + (r * 7) % 5; ++k)
            triples.push_back(Triple{r, (r * 3 + k * 11) % rows, values[5 * r + k]});
    std::sort(triples.begin(), triples.end(), [](const Triple &a, const Triple &b) {
        return std::tie(a.row, a.column) < std::tie(b.row, b.column);
    });
    Csr csr(triples, rows);
    const int width = 5;
    std::vector<int> ell_columns(width * rows, -1), fill(rows), coo_rows, coo_columns;
    std::vector<double> ell_values(width * rows), coo_values;
    for (const auto &[row, column, value] : triples) {
        const int at = fill[row]++ * rows + row;
        ell_columns[at] = column;
        ell_values[at] = value;
        coo_rows.push_back(row);
        coo_columns.push_back(column);
        coo_values.push_back(value);
    }
    Buffer<int> ec(ell_columns), cr(coo_rows), cc(coo_columns);
    Buffer<double> ev(ell_values), cv(coo_values), right(std::vector<double>(b, b + rows));
    Buffer<double> now{std::vector<double>(rows)}, next{std::vector<double>(rows, 0.0)};
    const dim3 block(8), grid((rows + block.x - 1) / block.x);
    for (int s = 0; s < 2; ++s) {
        sweep<<<grid, block>>>(csr.view(), right.data, now.data, next.data, rows);
        sweep<<<grid, block>>>(EllView{ec.data, ev.data, rows, width}, right.data, next.data, now.data, rows);
    }
    const int entries = static_cast<int>(triples.size());
    coo_product<<<(entries + 31) / 32, 32>>>(cr.data, cc.data, cv.data, now.data, next.data, entries);
    cudaMemcpy(x, next.data, rows * sizeof(double), cudaMemcpyDeviceToHost);
}

int main(int argc, char **argv)
{
    const int rows = argc > 1 ? atoi(argv[1]) : 100;
    double weight = 0.7, norm = 0.0;
    std::vector<double> values(5 * rows), b(rows), x(rows);
    for (int i = 0; i < 5 * rows; ++i)
        values[i] = weight + 0.1 * (i % 7);
    for (int i = 0; i < rows; ++i)
        b[i] = 1.0 / (i + 1);
    solve(x.data(), values.data(), b.data(), rows);
    for (double v : x)
        norm += v * v;
    assert(norm >= 0.0);
    std::printf("norm %.12g\n", norm);
    return norm > 0.0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
