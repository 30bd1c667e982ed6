/*---
wrt = ["x"]
of = ["y"]
[inputs]
x = { shape = [16], random = 1 }
y = { shape = [16], random = 2 }
n = 2
[[cases]]
name = "ring"
function = "ring"
[[cases]]
name = "line"
function = "line"
[[cases]]
name = "unequal"
function = "unequal"
[[cases]]
name = "started"
function = "started"
[[cases]]
name = "started-each"
function = "started_each"
[[cases]]
name = "lines-of-a-grid"
function = "lines_of_a_grid"
---*/
// Operations with the neighbours in a Cartesian communicator; where there is no neighbour, blocks stay what they are.
#include <mpi.h>

static MPI_Comm grid(int dimensions, int periodic)
{
    int size, dims[2] = {0, dimensions == 2 ? 1 : 0}, periods[2] = {periodic, 0};
    MPI_Comm made;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, dimensions, dims);
    MPI_Cart_create(MPI_COMM_WORLD, dimensions, dims, periods, 0, &made);
    return made;
}

void ring(const double *x, double *y, int n)
{
    MPI_Comm comm = grid(1, 1);
    double sent[4], got[4], all[4] = {x[8], x[9], x[10], x[11]};
    for (int i = 0; i < 4; ++i) sent[i] = x[i] * x[i + 1];
    MPI_Neighbor_alltoall(sent, n, MPI_DOUBLE, got, n, MPI_DOUBLE, comm);
    for (int i = 0; i < 4; ++i) y[i] = got[i] * got[i] * sent[i];
    MPI_Neighbor_allgather(sent, n, MPI_DOUBLE, all, n, MPI_DOUBLE, comm);
    for (int i = 0; i < 4; ++i) y[i + 4] = all[i] * all[(i + 1) % 4];
    MPI_Comm_free(&comm);
}

void line(const double *x, double *y, int n)
{
    MPI_Comm comm = grid(2, 0);
    double sent[8], got[8], all[8];
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 8; ++i) {
            sent[i] = k == 0 ? x[i] * x[i + 1] : sent[i] * got[i];
            got[i] = x[i + 8] * sent[i];
            all[i] = got[i] * x[k];
        }
        MPI_Neighbor_alltoall(sent, n, MPI_DOUBLE, got, n, MPI_DOUBLE, comm);
        MPI_Neighbor_allgather(got, n, MPI_DOUBLE, all, n, MPI_DOUBLE, comm);
        for (int i = 0; i < 8; ++i) got[i] = got[i] * all[i];
    }
    for (int i = 0; i < 8; ++i) y[i] = got[i] + all[i] * sent[i];
    MPI_Comm_free(&comm);
}

// More goes to the right than to the left.
void unequal(const double *x, double *y, int n)
{
    MPI_Comm comm = grid(1, 1);
    double sent[6], got[6] = {x[3], x[4], x[5], x[6], x[7], x[8]}, all[6] = {x[9], x[10], x[11], x[12], x[13], x[14]};
    int to[2] = {1, 2}, from[2] = {2, 1}, at_to[2] = {4, 1}, at_from[2] = {0, 3}, two[2] = {2, 2};
    for (int i = 0; i < 6; ++i) sent[i] = x[i] * x[i + 2];
    MPI_Neighbor_alltoallv(sent, to, at_to, MPI_DOUBLE, got, from, at_from, MPI_DOUBLE, comm);
    MPI_Neighbor_allgatherv(sent + 1, 2, MPI_DOUBLE, all, two, at_from, MPI_DOUBLE, comm);
    for (int i = 0; i < 6; ++i) y[i] = got[i] * got[i] * sent[i] + all[i] * all[i];
    MPI_Comm_free(&comm);
}

void started(const double *x, double *y, int n)
{
    MPI_Comm comm = grid(2, 0);
    double sent[8], got[8], all[8];
    int counts[4] = {1, 1, 2, 1}, places[4] = {0, 1, 2, 4};
    MPI_Request r[3];
    for (int i = 0; i < 8; ++i) {
        sent[i] = x[i] * x[i + 1];
        got[i] = x[i + 8] * sent[i];
        all[i] = got[i] * x[i];
    }
    MPI_Ineighbor_alltoallv(sent, counts, places, MPI_DOUBLE, got, counts, places, MPI_DOUBLE, comm, &r[0]);
    MPI_Ineighbor_allgather(sent, n, MPI_DOUBLE, all, n, MPI_DOUBLE, comm, &r[1]);
    MPI_Wait(&r[1], MPI_STATUS_IGNORE);
    y[8] = all[0] * all[5];
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    for (int i = 0; i < 4; ++i) counts[i] = places[i] = -1;
    for (int i = 0; i < 8; ++i) y[i] = got[i] * got[i] * all[i];
    MPI_Comm_free(&comm);
}

// The same for blocks of one length and for gathered ones of several, again and again; some in device memory.
void started_each(const double *x, double *y, int n)
{
    MPI_Comm comm = grid(1, 1);
    double sent[4], got[4] = {x[3], x[4], x[5], x[6]}, all[6] = {x[9], x[10], x[11], x[12], x[13], x[14]}, *u, *v;
    int two[2] = {2, 2}, at[2] = {3, 0};
    cudaMalloc(&u, 4 * sizeof(double));
    cudaMalloc(&v, 4 * sizeof(double));
    cudaMemcpy(v, x, 4 * sizeof(double), cudaMemcpyHostToDevice);
    for (int i = 0; i < 4; ++i) sent[i] = x[i] * x[i + 1];
    for (int step = 0; step < 2; ++step) {
        MPI_Request r[3];
        cudaMemcpy(u, sent, 4 * sizeof(double), cudaMemcpyHostToDevice);
        MPI_Ineighbor_alltoall(sent, n, MPI_DOUBLE, got, n, MPI_DOUBLE, comm, &r[0]);
        MPI_Ineighbor_allgatherv(sent + 1, 2, MPI_DOUBLE, all, two, at, MPI_DOUBLE, comm, &r[1]);
        MPI_Ineighbor_alltoall(u, n, MPI_DOUBLE, v, n, MPI_DOUBLE, comm, &r[2]);
        MPI_Wait(&r[2], MPI_STATUS_IGNORE);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        for (int i = 0; i < 4; ++i) sent[i] = sent[i] * got[i] + all[i + 1] * x[i];
    }
    cudaMemcpy(got, v, 4 * sizeof(double), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 4; ++i) y[i] = sent[i] * got[i] * all[5 - i];
    MPI_Comm_free(&comm);
    cudaFree(u);
    cudaFree(v);
}

// Sums along the lines of a grid, and over the ranks of one machine.
void lines_of_a_grid(const double *x, double *y, int n)
{
    MPI_Comm comm = grid(2, 0), line, near;
    int keep[2] = {1, 0}, dimensions, kind, rank, dims[2], periods[2], at[2];
    MPI_Topo_test(comm, &kind);
    MPI_Cartdim_get(comm, &dimensions);
    MPI_Cart_get(comm, 2, dims, periods, at);
    MPI_Cart_sub(comm, keep, &line);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
    MPI_Comm_rank(near, &rank);
    cudaSetDevice(0);
    double part = x[0] * x[1], sum, all;
    MPI_Allreduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, line);
    sum = sum * x[2] + at[0];
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, near);
    y[0] = all * all * x[3] * (kind == MPI_CART ? dims[0] + dimensions + periods[0] : 0) + rank;
    MPI_Comm_free(&line);
    MPI_Comm_free(&near);
    MPI_Comm_free(&comm);
}
