/*---
function = "f"
error = "UnsupportedError"
---*/
#include <Kokkos_Core.hpp>

void f(double *y, int n)
{
    Kokkos::View<double *> v("v", n);
    auto twice = KOKKOS_LAMBDA(int i) { v(i) *= 2.0; };  // expected-error: a variable that holds a lambda with views of Kokkos
    //   ^
    Kokkos::parallel_for(n, twice);
    Kokkos::deep_copy(Kokkos::View<double *, Kokkos::HostSpace>(y, n), v);
}
