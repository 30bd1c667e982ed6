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
    int lengths[1] = {1};
    MPI_Aint places[1] = {0};
    MPI_Datatype types[1] = {MPI_DOUBLE}, type;
    MPI_Type_struct(1, lengths, places, types, &type);  // expected-error @5: what MPI 3 has removed
    MPI_Bcast(y, n, type, 0, MPI_COMM_WORLD);
}
