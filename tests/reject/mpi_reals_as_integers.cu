/*---
function = "f"
wrt = ["x"]
of = ["y"]
error = "UnsupportedError"
help = "name its own type"
---*/
#include <mpi.h>

void f(double *y, const double *x, int n)
{
    double a[4];
    for (int i = 0; i < n; ++i) a[i] = x[i] * x[i];
    MPI_Send(a, 8, MPI_INT, 0, 0, MPI_COMM_WORLD);  // expected-error @20: data of type 'double' is sent as MPI_INT
    MPI_Recv(y, 8, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
