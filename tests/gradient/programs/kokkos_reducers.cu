/*---
function = "model"
wrt = ["x"]
of = ["y"]
[inputs]
x = { shape = [700], random_uniform = 1, low = 0.9, high = 1.1 }
y = { zeros = [709] }
n = 700
---*/
// Reductions of Kokkos: several results, reducers, a functor that joins, over planes, into a view; a scan.
#include <Kokkos_Core.hpp>

typedef Kokkos::View<double *> Vector;

struct LogSum {
    typedef double value_type;
    Vector x;
    KOKKOS_INLINE_FUNCTION void operator()(int i, double &m) const { join(m, x(i)); }
    KOKKOS_INLINE_FUNCTION void init(double &m) const { m = 0.0; }
    KOKKOS_INLINE_FUNCTION void join(double &m, const double &w) const { m = sqrt(m * m + w * w); }
};
struct Tagged {
    struct Square {};
    struct Cube {};
    Vector x;
    KOKKOS_INLINE_FUNCTION void operator()(Square, int i, double &s) const { s += x(i) * x(i); }
    KOKKOS_INLINE_FUNCTION void operator()(Cube, int i, double &s) const { s += x(i) * x(i) * x(i); }
};

void model(double *y, const double *x, int n)
{
    Kokkos::ScopeGuard guard;
    Vector v("v", n), w("w", n + 1);
    Kokkos::deep_copy(v, Kokkos::View<const double *, Kokkos::HostSpace>(x, n));
    double sum = 0.0, squares = 0.0, product = 1.0, most = 0.0, least = 0.0, joined = 0.0, plane = 0.0, cube = 0.0;
    Kokkos::parallel_reduce(
        n, KOKKOS_LAMBDA(int i, double &a, double &b) {
            a += v(i);
            b += v(i) * v(i);
        },
        sum, squares);
    Kokkos::parallel_reduce(n, KOKKOS_LAMBDA(int i, double &p) { p *= v(i); }, Kokkos::Prod<double>(product));
    typedef Kokkos::MaxLoc<double, int> Where;
    Where::value_type place;
    Kokkos::parallel_reduce(
        "most", n,
        KOKKOS_LAMBDA(int i, Where::value_type & m) {
            if (v(i) > m.val) {
                m.val = v(i);
                m.loc = i;
            }
        },
        Where(place));
    most = place.val;
    Kokkos::parallel_reduce(
        n, KOKKOS_LAMBDA(int i, double &m) { m = v(i) < m ? v(i) : m; }, Kokkos::Min<double>(least));
    Kokkos::parallel_reduce("join", n, LogSum{v}, joined);
    Kokkos::parallel_reduce(Kokkos::RangePolicy<Tagged::Square>(0, n), Tagged{v}, plane);
    Kokkos::parallel_reduce(Kokkos::RangePolicy<Tagged::Cube>(3, n), Tagged{v}, cube);
    Kokkos::View<double **> grid(v.data(), n / 20, 20);
    Kokkos::View<double> into("into");
    Kokkos::parallel_reduce(
        Kokkos::MDRangePolicy<Kokkos::Rank<2>>({0, 1}, {n / 20, 20}),
        KOKKOS_LAMBDA(int i, int j, double &s) { s += grid(i, j) * grid(i, j - 1); }, into);
    double neighbours = 0.0;
    Kokkos::deep_copy(neighbours, into);
    Kokkos::parallel_scan(
        "scan", n, KOKKOS_LAMBDA(const int i, double &before, const bool last) {
            if (last)
                w(i) = before;
            before += v(i) * v(i);
            if (last && i == n - 1)
                w(n) = before;
        });
    Kokkos::deep_copy(Kokkos::View<double *, Kokkos::HostSpace>(y, n + 1), w);
    y[n + 1] = sum;
    y[n + 2] = squares * product;
    y[n + 3] = most * most + place.loc;
    y[n + 4] = least;
    y[n + 5] = joined;
    y[n + 6] = plane * cube;
    y[n + 7] = neighbours;
    y[n + 8] = sin(sum);
}
