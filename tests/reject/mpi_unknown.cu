/*---
function = "f"
wrt = ["x"]
of = ["y"]
error = "UnsupportedError"
help = "did you mean"
---*/
#include <mpi.h>

void f(double *y, const double *x, int n)
{
    MPI_Reduce_local(x, y, n, MPI_DOUBLE, MPI_SUM);  // expected-error: hetad does not know 'MPI_Reduce_local'
}
