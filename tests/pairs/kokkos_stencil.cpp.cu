#include <Kokkos_Core.hpp>
using Input = Kokkos::View<const double *, Kokkos::CudaSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
using Output = Kokkos::View<double *, Kokkos::CudaSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
void f(double *y, const double *x, int n)
{
    Input in(x, n);
    Output out(y, n);
    Kokkos::parallel_for(
        "stencil", Kokkos::RangePolicy<>(1, n - 1),
        KOKKOS_LAMBDA(int i) { out(i) = in(i) * in(i - 1) + 0.5 * in(i + 1); });
}
