/*---
function = "diagonals"
wrt = ["a"]
[inputs]
a = { shape = [6, 7], random = 1 }
rows = 6
columns = 7
---*/
// Iterators of a class of its own over rows, columns and diagonals, in loops and folds.
#include <cstddef>
#include <iterator>
template <class T> class Strided
{
public:
    class iterator
    {
    public:
        iterator(T *p, std::ptrdiff_t s)
            : p_(p)
            , s_(s)
        {
        }
        T &operator*() const { return *p_; }
        iterator &operator++()
        {
            p_ += s_;
            return *this;
        }
        iterator operator++(int)
        {
            iterator old = *this;
            ++*this;
            return old;
        }
        friend bool operator!=(const iterator &a, const iterator &b) { return a.p_ != b.p_; }

    private:
        T *p_;
        std::ptrdiff_t s_;
    };
    Strided(T *p, std::size_t n, std::ptrdiff_t s)
        : p_(p)
        , n_(n)
        , s_(s)
    {
    }
    iterator begin() const { return {p_, s_}; }
    iterator end() const { return {p_ + n_ * s_, s_}; }
    T &operator[](std::size_t i) const { return p_[i * s_]; }

private:
    T *p_;
    std::size_t n_;
    std::ptrdiff_t s_;
};
template <class T> struct Matrix {
    T *data;
    int rows, columns;
    Strided<T> row(int i) const { return {data + i * columns, std::size_t(columns), 1}; }
    Strided<T> column(int j) const { return {data + j, std::size_t(rows), columns}; }
    Strided<T> diagonal() const { return {data, std::size_t(rows < columns ? rows : columns), columns + 1}; }
};
template <class Range, class F> auto fold(const Range &r, double start, F f)
{
    double s = start;
    for (auto &v : r)
        s = f(s, v);
    return s;
}
double diagonals(const double *a, int rows, int columns)
{
    const Matrix<const double> m{a, rows, columns};
    double s = fold(m.diagonal(), 1.0, [](double s, double v) { return s * (1.0 + 0.3 * v); });
    for (int j = 0; j < columns; ++j) {
        double big = 0;
        for (double v : m.column(j))
            if (v * v > big)
                big = v * v;
        s += big;
    }
    auto row = m.row(2);
    auto it = row.begin();
    const double first = *it++;
    s += first * *it;
    double work[12];
    Matrix<double> w{work, 3, 4};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 4; ++j)
            w.row(i)[j] = m.row(i)[j] * m.column(j)[i + 1];
    for (double &v : w.column(1))
        v = v * v + s;
    return s + fold(w.diagonal(), 0.0, [&](double t, double v) { return t + v * first; });
}
