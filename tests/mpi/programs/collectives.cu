/*---
wrt = ["x"]
of = ["y"]
[inputs]
x = { shape = [16], random = 1 }
y = { shape = [16], random = 2 }
n = 4
[[cases]]
name = "bcast"
function = "bcast"
[[cases]]
name = "reduce"
function = "reduced"
[[cases]]
name = "in-place"
function = "in_place"
[[cases]]
name = "extrema"
function = "extrema"
[[cases]]
name = "product"
function = "product"
[[cases]]
name = "scans"
function = "scans"
[[cases]]
name = "gather-scatter"
function = "gather_scatter"
[[cases]]
name = "gatherv-scatterv"
function = "gatherv_scatterv"
[[cases]]
name = "gather-in-place"
function = "gathered_in_place"
[[cases]]
name = "allgather"
function = "allgathered"
[[cases]]
name = "alltoall"
function = "transposed"
[[cases]]
name = "alltoallv"
function = "dealt"
[[cases]]
name = "reduce-scatter"
function = "reduce_scattered"
---*/
// Collective operations, each with what is read before and what is used after it.  x and y have room for 4 ranks.
#include <mpi.h>

void bcast(const double *x, double *y, int n)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double held[4];
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < n; ++i) held[i] = x[i + k] * x[i];
        double before = held[0] * held[0];
        MPI_Bcast(held, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        for (int i = 0; i < n; ++i) y[k * n + i] = held[i] * held[i] * x[i] + before;
    }
}

void reduced(const double *x, double *y, int n)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double part[4], sum[4] = {1, x[0], 2, x[1] * x[1]};
    for (int i = 0; i < n; ++i) part[i] = x[i] * x[i];
    MPI_Reduce(part, rank == size - 1 ? sum : NULL, n, MPI_DOUBLE, MPI_SUM, size - 1, MPI_COMM_WORLD);
    for (int i = 0; i < n; ++i) y[i] = sum[i] * sum[i] * part[i];
    MPI_Allreduce(part, sum, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < n; ++i) y[i + n] = sum[i] * part[i];
}

void in_place(const double *x, double *y, int n)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double v[4];
    for (int i = 0; i < n; ++i) v[i] = x[i] * x[i];
    MPI_Allreduce(MPI_IN_PLACE, v, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < n; ++i) v[i] = v[i] * v[i] * x[i + 1];
    if (rank == 0) {
        MPI_Reduce(MPI_IN_PLACE, v, n, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    } else {
        MPI_Reduce(v, NULL, n, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    }
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : v, v, n, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    for (int i = 0; i < n; ++i) y[i] = v[i] * v[i];
    MPI_Scan(MPI_IN_PLACE, v, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < n; ++i) y[i + n] = v[i] * x[i];
}

void extrema(const double *x, double *y, int n)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double most[4], least[4];
    float single[4], out[4];
    MPI_Allreduce(x, most, n, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    for (int i = 0; i < n; ++i) least[i] = x[i + 1] * most[i];
    MPI_Allreduce(MPI_IN_PLACE, least, n, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    for (int i = 0; i < n; ++i) y[i] = most[i] * most[i] * least[i];
    for (int i = 0; i < n; ++i) single[i] = out[i] = (float)x[i];
    MPI_Reduce(single, out, n, MPI_FLOAT, MPI_MAX, 0, MPI_COMM_WORLD);
    for (int i = 0; i < n; ++i) y[i + n] = out[i] * x[i];
}

void product(const double *x, double *y, int n)
{
    double all[4];
    for (int k = 0; k < 2; ++k) {
        MPI_Allreduce(x + k, all, n, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD);
        for (int i = 0; i < n; ++i) y[i + k * n] = all[i] * all[i];
    }
}

void scans(const double *x, double *y, int n)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double up[4], before[4] = {x[0], 0, x[1] * x[1], 0};
    MPI_Scan(x, up, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < n; ++i) up[i] *= up[i];
    MPI_Exscan(up, before, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < n; ++i) y[i] = up[i] * before[i];
}

void gather_scatter(const double *x, double *y, int n)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double *all = NULL, mine[4];
    if (rank == 0) all = (double *)malloc(size * n * sizeof(double));
    for (int i = 0; i < n; ++i) mine[i] = x[i] * x[i];
    MPI_Gather(mine, n, MPI_DOUBLE, all, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        for (int i = 1; i < size * n; ++i) all[i] = all[i] * all[i - 1];
    }
    MPI_Scatter(all, n, MPI_DOUBLE, mine, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; i < n; ++i) y[i] = mine[i] * x[i];
    if (rank == 0) free(all);
}

void gatherv_scatterv(const double *x, double *y, int n)
{
    int rank, size, counts[4], places[4];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double all[16], mine[4];
    for (int i = 0; i < 16; ++i) all[i] = x[i];
    for (int r = 0; r < size; ++r) {
        counts[r] = r == 1 ? 0 : n - r;
        places[r] = 16 - n * (r + 1);
    }
    for (int i = 0; i < n; ++i) mine[i] = x[i] * x[i];
    int root = size - 1;
    MPI_Gatherv(mine, counts[rank], MPI_DOUBLE, all, counts, places, MPI_DOUBLE, root, MPI_COMM_WORLD);
    for (int i = 1; i < 16; ++i) all[i] *= all[i - 1] + 1;
    MPI_Scatterv(all, counts, places, MPI_DOUBLE, mine, counts[rank], MPI_DOUBLE, root, MPI_COMM_WORLD);
    for (int i = 0; i < n; ++i) y[i] = mine[i] * all[i];
    for (int r = 0; r < size; ++r) counts[r] = 0;  // the derivative needs what they were
}

void gathered_in_place(const double *x, double *y, int n)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double all[16];
    for (int i = 0; i < 16; ++i) all[i] = x[i] * x[i];
    if (rank == 0) {
        MPI_Gather(MPI_IN_PLACE, n, MPI_DOUBLE, all, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    } else {
        MPI_Gather(all, n, MPI_DOUBLE, NULL, 0, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
    for (int i = 0; i < 16; ++i) all[i] *= all[i];
    if (rank == 0) {
        MPI_Scatter(all, n, MPI_DOUBLE, MPI_IN_PLACE, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    } else {
        MPI_Scatter(NULL, n, MPI_DOUBLE, all + 1, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
    for (int i = 0; i < 16; ++i) all[i] *= x[i];
    MPI_Allgather(MPI_IN_PLACE, n, MPI_DOUBLE, all, n, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int i = 0; i < 16; ++i) y[i] = all[i] * all[i];
}

void allgathered(const double *x, double *y, int n)
{
    int rank, size, counts[4], places[4];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double all[16], some[16], mine[4];
    for (int i = 0; i < 16; ++i) all[i] = some[i] = x[i];
    for (int i = 0; i < n; ++i) mine[i] = x[i] * x[i];
    MPI_Allgather(mine, n, MPI_DOUBLE, all, n, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int r = 0; r < size; ++r) {
        counts[r] = r + 1;
        places[r] = 12 - n * r;
    }
    MPI_Allgatherv(mine, counts[rank], MPI_DOUBLE, some, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int i = 0; i < 16; ++i) y[i] = all[i] * all[i] + some[i] * some[i] * x[i];
}

void transposed(const double *x, double *y, int n)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double rows[16], columns[16];
    for (int i = 0; i < 16; ++i) rows[i] = columns[i] = x[i] * x[i];
    MPI_Alltoall(rows, n, MPI_DOUBLE, columns, n, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int i = 0; i < 16; ++i) columns[i] *= columns[i] + rank;
    MPI_Alltoall(MPI_IN_PLACE, n, MPI_DOUBLE, columns, n, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int i = 0; i < 16; ++i) y[i] = columns[i] * x[i];
}

void dealt(const double *x, double *y, int n)
{
    int rank, size, sent[4], got[4], from[4], to[4];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int r = 0; r < size; ++r) {
        sent[r] = (rank + 2 * r) % 3;
        from[r] = 2 * r;
    }
    MPI_Alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < size; ++r) to[r] = 3 * (size - 1 - r);
    double out[16], in[16];
    for (int i = 0; i < 16; ++i) {
        out[i] = x[i] * x[i];
        in[i] = x[i];
    }
    MPI_Alltoallv(out, sent, from, MPI_DOUBLE, in, got, to, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int i = 0; i < 16; ++i) y[i] = in[i] * in[i];
}

void reduce_scattered(const double *x, double *y, int n)
{
    int rank, size, counts[4];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double v[16], mine[8] = {x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]};
    for (int i = 0; i < 16; ++i) v[i] = x[i] * x[i];
    MPI_Reduce_scatter_block(v, mine, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < n; ++i) y[i] = mine[i] * mine[i] * x[i];
    for (int r = 0; r < size; ++r) counts[r] = r == 0 ? 5 : 3;
    MPI_Reduce_scatter(v, mine, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 8; ++i) y[i + n] = mine[i] * mine[i];
    MPI_Reduce_scatter_block(MPI_IN_PLACE, v, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    y[12] = v[0] * v[1];
}
