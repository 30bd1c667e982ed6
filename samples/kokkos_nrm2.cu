// The norm of a vector by Kokkos, in the two forms of its examples of linear algebra: a functor with a view as its member,
// and a lambda that captures the view. Both are a parallel_reduce: threads sum up squares, a second kernel joins the
// sums of threads, the host the rest. The gradient of either is x / nrm2(x), and its kernel one multiplication for
// each element.
#include <Kokkos_Core.hpp>

typedef Kokkos::View<double *> Vector;

struct SumOfSquares {
    typedef double value_type;
    Vector x;
    explicit SumOfSquares(Vector given) : x(given) {}
    KOKKOS_INLINE_FUNCTION void operator()(const int i, double &sum) const { sum += x(i) * x(i); }
};

double by_functor(const Vector &x)
{
    double sum = 0.0;
    SumOfSquares squares(x);
    Kokkos::parallel_reduce("nrm2", Kokkos::RangePolicy<Kokkos::Cuda>(0, x.extent(0)), squares, sum);
    return Kokkos::sqrt(sum);
}

double by_lambda(const Vector &x)
{
    double sum = 0.0;
    Kokkos::parallel_reduce("nrm2", x.extent(0), KOKKOS_LAMBDA(const int i, double &s) { s += x(i) * x(i); }, sum);
    return Kokkos::sqrt(sum);
}

double nrm2(const double *x, int n)
{
    Vector v("v", n);
    Vector::HostMirror h = Kokkos::create_mirror_view(v);
    for (int i = 0; i < n; ++i)
        h(i) = x[i];
    Kokkos::deep_copy(v, h);
    return by_functor(v) + 2.0 * by_lambda(v);
}
