/*---
function = "f"
error = "SyntaxProblem"
---*/
#include <Kokkos_Core.hpp>

void f(double *y, int n)
{
    Kokkos::View<double **> v("v", n, n);
    auto inner = Kokkos::subview(v, std::make_pair(1, n - 1), Kokkos::ALL);
    Kokkos::View<double **, Kokkos::HostSpace> host(y, n - 2, n);
    Kokkos::deep_copy(host, inner);  // expected-error: a copy between host and device of views of several layouts
}
