/*---
function = "f"
wrt = ["x"]
of = ["y"]
error = "UnsupportedError"
help = "MPI_SUM"
---*/
#include <mpi.h>

void f(double *y, const double *x, int n)
{
    MPI_Scan(x, y, n, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD);  // expected-error: MPI_Scan of active data by MPI_PROD
}
