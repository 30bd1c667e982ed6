/*---
function = "f"
wrt = ["x"]
of = ["y"]
error = "UnsupportedError"
help = "MPI_Isend and MPI_Irecv"
---*/
#include <mpi.h>

void f(double *y, const double *x, int n)
{
    MPI_Win window;  // expected-error @5: one-sided communication
    MPI_Win_create(y, n * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Put(x, n, MPI_DOUBLE, 0, 0, n, MPI_DOUBLE, window);
}
