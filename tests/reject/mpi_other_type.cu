/*---
function = "f"
wrt = ["x"]
of = ["y"]
error = "UnsupportedError"
help = "its own type"
---*/
#include <mpi.h>

void f(double *y, const double *x, int n)
{
    MPI_Bcast(y, 2 * n, MPI_FLOAT, 0, MPI_COMM_WORLD);  // expected-error: active data of type 'double' is sent as MPI_FLOAT
    for (int i = 0; i < n; ++i) y[i] = x[i];
    MPI_Bcast(y, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}
