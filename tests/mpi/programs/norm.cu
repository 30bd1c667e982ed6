/*---
function = "norm"
wrt = ["x"]
[inputs]
x = { shape = [16], random = 1 }
y = { shape = [16], random = 2 }
n = 4
---*/
// What is returned is a number of each rank: the gradient is that of the sum of all of them.
#include <mpi.h>

double norm(const double *x, double *y, int n)
{
    double local = 0, total = 0;
    for (int i = 0; i < n; ++i) local += x[i] * x[i];
    MPI_Allreduce(&local, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    y[0] = total;
    return sqrt(total) * local;
}
