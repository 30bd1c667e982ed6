#include <Kokkos_Core.hpp>
using Space = Kokkos::CudaSpace;
using Loose = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
struct Product {
    Kokkos::View<double *, Space, Loose> y;
    Kokkos::View<const double **, Kokkos::LayoutRight, Space, Loose> a;
    Kokkos::View<const double *, Space, Loose> x;
    int columns;
    KOKKOS_FUNCTION void operator()(const int i) const
    {
        double sum = 0.0;
        for (int j = 0; j < columns; ++j)
            sum += a(i, j) * x(j);
        y(i) = sum * sum;
    }
};
void f(double *y, const double *a, const double *x, int n, int m)
{
    Kokkos::View<double *, Space, Loose> out(y, n);
    Kokkos::View<const double **, Kokkos::LayoutRight, Space, Loose> matrix(a, n, m);
    Kokkos::View<const double *, Space, Loose> in(x, m);
    Kokkos::parallel_for("gemv", n, Product{out, matrix, in, m});
}
