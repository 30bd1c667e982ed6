/*---
function = "f"
wrt = ["x"]
of = ["y"]
error = "UnsupportedError"
help = "MPI_Probe"
---*/
#include <mpi.h>

void f(double *y, const double *x, int n)
{
    MPI_Message message;  // expected-error @5: messages that are matched before they are received
    MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(y, n, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
}
