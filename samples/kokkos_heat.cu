// The heat equation on a plane by Kokkos, with conduction that depends on the temperature: two views that are swapped
// after each step, and an MDRangePolicy with tiles over the inner cells.
//
// The adjoint of the stencil is found to be a gather: each cell sums over those that read it through now(i - 1, j) and
// its like. What the steps overwrite is saved for the reverse sweep, as far as the nonlinear terms need it.
#include <Kokkos_Core.hpp>

void heat(double *u, double k, int nx, int ny, int steps)
{
    using Plane = Kokkos::View<double **>;
    Plane now("now", nx, ny), next("next", nx, ny);
    Kokkos::View<double **, Kokkos::LayoutLeft, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(u, nx, ny);
    Kokkos::deep_copy(now, host);
    Kokkos::deep_copy(next, now);
    for (int s = 0; s < steps; ++s) {
        Kokkos::parallel_for(
            "step", Kokkos::MDRangePolicy<Kokkos::Rank<2>>({1, 1}, {nx - 1, ny - 1}, {8, 4}),
            KOKKOS_LAMBDA(const int i, const int j) {
                const double c = now(i, j);
                next(i, j) = c + k * c * (now(i - 1, j) + now(i + 1, j) + now(i, j - 1) + now(i, j + 1) - 4.0 * c);
            });
        Kokkos::kokkos_swap(now, next);
    }
    Kokkos::deep_copy(host, now);
}
