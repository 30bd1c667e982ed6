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
    MPI_Request r;
    MPI_Iallreduce(x, y, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r);  // expected-error: hetad does not know 'MPI_Iallreduce'
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}
