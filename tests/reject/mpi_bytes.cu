/*---
function = "f"
wrt = ["x"]
of = ["y"]
error = "UnsupportedError"
help = "MPI_FLOAT or MPI_DOUBLE"
---*/
#include <mpi.h>

void f(double *y, const double *x, int n)
{
    MPI_Send(x, 8 * n, MPI_BYTE, 0, 0, MPI_COMM_SELF);  // expected-error: active data is sent as MPI_BYTE
    MPI_Recv(y, n, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}
