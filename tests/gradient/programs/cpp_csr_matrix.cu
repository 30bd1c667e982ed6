/*---
function = "power_step"
wrt = ["values", "x"]
of = ["y"]
[inputs]
y = { zeros = [9] }
values = { shape = [25], random = 1 }
x = { shape = [9], random = 2 }
columns = { values = [0, 1, 0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4, 5, 4, 5, 6, 5, 6, 7, 6, 7, 8, 7, 8] }
offsets = { values = [0, 2, 5, 8, 11, 14, 17, 20, 23, 25] }
n = 9
---*/
// A sparse matrix as a class with iterators over its rows, and a loop over ranges of a class of the program's own.
template <class T> class Csr {
public:
    struct Entry {
        int column;
        T value;
    };
    class Iterator {
    public:
        __host__ __device__ Iterator(const Csr *m, int at) : matrix_(m), at_(at) {}
        __host__ __device__ Entry operator*() const { return Entry{matrix_->columns[at_], matrix_->values[at_]}; }
        __host__ __device__ Iterator &operator++()
        {
            ++at_;
            return *this;
        }
        __host__ __device__ bool operator!=(const Iterator &other) const { return at_ != other.at_; }

    private:
        const Csr *matrix_;
        int at_;
    };
    struct Row {
        const Csr *matrix;
        int first, last;
        __host__ __device__ Iterator begin() const { return Iterator(matrix, first); }
        __host__ __device__ Iterator end() const { return Iterator(matrix, last); }
    };
    __host__ __device__ Row row(int i) const { return Row{this, offsets[i], offsets[i + 1]}; }

    int rows;
    const int *offsets;
    const int *columns;
    const T *values;
};

template <class T> __global__ void multiply(T *y, Csr<T> m, const T *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m.rows)
        return;
    T sum = 0;
    for (const auto &entry : m.row(i))
        sum += entry.value * x[entry.column];
    y[i] = sum;
}

template <class T> T *upload(const T *from, size_t count)
{
    T *to = nullptr;
    cudaMalloc(&to, count * sizeof(T));
    cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyHostToDevice);
    return to;
}

void power_step(double *y, const double *values, const double *x, const int *columns, const int *offsets, int n)
{
    const int entries = offsets[n];
    auto *d_values = upload(values, entries);
    auto *d_x = upload(x, n);
    auto *d_y = upload(y, n);
    auto *d_columns = upload(columns, entries);
    auto *d_offsets = upload(offsets, n + 1);
    Csr<double> m{n, d_offsets, d_columns, d_values};
    multiply<<<(n + 3) / 4, 4>>>(d_y, m, d_x);
    multiply<<<(n + 3) / 4, 4>>>(d_x, m, d_y);
    cudaMemcpy(y, d_x, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_values);
    cudaFree(d_x);
    cudaFree(d_y);
    cudaFree(d_columns);
    cudaFree(d_offsets);
}
