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
    MPI_Request r;
    MPI_Iscan(x, y, n, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD, &r);  // expected-error: MPI_Iscan of active data by MPI_PROD
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}
