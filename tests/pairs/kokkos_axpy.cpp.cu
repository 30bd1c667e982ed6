#include <Kokkos_Core.hpp>
struct Axpy {
    double a;
    Kokkos::View<const double *, Kokkos::CudaSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> x;
    Kokkos::View<double *, Kokkos::CudaSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> y;
    KOKKOS_INLINE_FUNCTION void operator()(int i) const { y(i) += a * x(i) * x(i); }
};
void f(double *y, const double *x, double a, int n)
{
    Kokkos::View<const double *, Kokkos::CudaSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> in(x, n);
    Kokkos::View<double *, Kokkos::CudaSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> out(y, n);
    Kokkos::parallel_for(n, Axpy{a, in, out});
}
