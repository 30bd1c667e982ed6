/*---
function = "f"
wrt = ["x"]
of = ["y"]
error = "UnsupportedError"
help = "MPI_Type_create_struct"
---*/
#include <mpi.h>

void f(double *y, const double *x, int n)
{
    char room[64];
    int at = 0;
    MPI_Pack(x, n, MPI_DOUBLE, room, 64, &at, MPI_COMM_WORLD);  // expected-error @5: numbers packed as bytes by MPI
    MPI_Bcast(room, at, MPI_PACKED, 0, MPI_COMM_WORLD);
}
