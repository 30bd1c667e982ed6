/*---
wrt = ["x"]
of = ["y"]
[inputs]
x = { shape = [24], random = 1 }
y = { shape = [24], random = 2 }
n = 4
[[cases]]
name = "particles"
function = "particles"
[[cases]]
name = "parameters"
function = "parameters"
[[cases]]
name = "indexed"
function = "indexed"
[[cases]]
name = "resized"
function = "resized"
[[cases]]
name = "twice"
function = "twice"
---*/
// Types that are made of others: structs of numbers and names, blocks anywhere, cells that are sent twice.
#include <mpi.h>
#include <stddef.h>

struct particle {
    int name;
    double at[3];
    char kind;
    double mass;
};

// Numbers and names in one message; only the numbers have adjoints.
void particles(const double *x, double *y, int n)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    struct particle out[2], in[2];
    int lengths[4] = {1, 3, 1, 1};
    MPI_Aint places[4] = {offsetof(struct particle, name), offsetof(struct particle, at), offsetof(struct particle, kind),
                          offsetof(struct particle, mass)};
    MPI_Datatype types[4] = {MPI_INT, MPI_DOUBLE, MPI_CHAR, MPI_DOUBLE}, padded, type;
    MPI_Type_create_struct(4, lengths, places, types, &padded);
    MPI_Type_create_resized(padded, 0, sizeof(struct particle), &type);
    MPI_Type_commit(&type);
    for (int k = 0; k < 2; ++k) {
        out[k].name = rank + 2 * k + 1;
        out[k].kind = 'a';
        out[k].mass = x[k] * x[k + 1];
        for (int i = 0; i < 3; ++i) out[k].at[i] = x[i + k] * x[i];
    }
    for (int step = 0; step < 2; ++step) {
        MPI_Sendrecv(out, 2, type, (rank + 1) % size, 0, in, 2, type, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        for (int k = 0; k < 2; ++k) {
            out[k].mass = in[k].mass * in[k].at[step] * in[k].name;
            out[k].at[1] = in[k].at[0] * in[1 - k].at[2];
            out[k].name = in[k].name + 1;
        }
    }
    for (int k = 0; k < 2; ++k) {
        y[4 * k] = out[k].mass * out[k].mass + out[k].name;
        for (int i = 0; i < 3; ++i) y[4 * k + 1 + i] = out[k].at[i] * in[k].mass;
    }
    MPI_Type_free(&type);
    MPI_Type_free(&padded);
}

struct settings {
    double dt;
    int steps;
    float weight;
};

// Parameters that one rank knows; numbers of both types, and addresses.
void parameters(const double *x, double *y, int n)
{
    int rank, lengths[3] = {1, 1, 1};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct settings p;
    p.dt = x[0] * x[1];
    p.steps = rank == 0 ? 3 : 0;
    p.weight = (float)(x[2] * x[3]);
    MPI_Aint places[3], start;
    MPI_Datatype types[3] = {MPI_DOUBLE, MPI_INT, MPI_FLOAT}, type;
    MPI_Get_address(&p, &start);
    MPI_Get_address(&p.dt, &places[0]);
    MPI_Get_address(&p.steps, &places[1]);
    MPI_Get_address(&p.weight, &places[2]);
    for (int i = 0; i < 3; ++i) places[i] = MPI_Aint_diff(places[i], start);
    MPI_Type_create_struct(3, lengths, places, types, &type);
    MPI_Type_commit(&type);
    MPI_Bcast(&p, 1, type, 0, MPI_COMM_WORLD);
    double u = x[4];
    for (int i = 0; i < p.steps; ++i) u += p.dt * u * p.weight;
    y[0] = u;
    MPI_Type_free(&type);
}

void indexed(const double *x, double *y, int n)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    int lengths[3] = {1, 2, 1}, places[3] = {0, 3, 7};
    MPI_Aint bytes[3] = {8, 32, 72};
    MPI_Datatype some, others, blocks, rows, copy;
    MPI_Type_indexed(3, lengths, places, MPI_DOUBLE, &some);
    MPI_Type_create_hindexed(3, lengths, bytes, MPI_DOUBLE, &others);
    MPI_Type_create_indexed_block(3, 2, places, MPI_DOUBLE, &blocks);
    MPI_Type_create_hvector(2, 2, 3 * sizeof(double), MPI_DOUBLE, &rows);
    MPI_Type_dup(some, &copy);
    MPI_Type_commit(&some);
    MPI_Type_commit(&others);
    MPI_Type_commit(&blocks);
    MPI_Type_commit(&rows);
    MPI_Type_commit(&copy);
    double a[24];
    for (int i = 0; i < 24; ++i) a[i] = x[i] * x[i];
    for (int k = 0; k < 2; ++k) {
        MPI_Sendrecv(a + 12, 1, some, to, 0, a, 1, others, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(a, 1, blocks, to, 1, a + 10, 6, MPI_DOUBLE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(a + 1, 1, rows, to, 2, a + 16, 1, copy, from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < 24; ++i) a[i] = a[i] * a[(i + 1) % 24];
    }
    for (int i = 0; i < 24; ++i) y[i] = a[i];
}

// Columns that overlap when there are several: a matrix is transposed on its way.
void resized(const double *x, double *y, int n)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Datatype one, column;
    MPI_Aint start, extent;
    MPI_Type_vector(n, 1, 6, MPI_DOUBLE, &one);
    MPI_Type_create_resized(one, 0, sizeof(double), &column);
    MPI_Type_commit(&column);
    MPI_Type_get_extent(column, &start, &extent);
    double a[24], b[24];
    for (int i = 0; i < 24; ++i) a[i] = x[i] * x[i] * (extent / 8);
    MPI_Request r[2];
    MPI_Irecv(b, 24, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(a, 6, column, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Bcast(b, 4, column, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 24; ++i) y[i] = b[i] * b[i];
    MPI_Type_free(&one);
    MPI_Type_free(&column);
}

// The same cells twice in one message.
void twice(const double *x, double *y, int n)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Datatype windows, all;
    int places[3] = {4, 0, 4};
    MPI_Type_vector(4, 3, 1, MPI_DOUBLE, &windows);
    MPI_Type_create_indexed_block(3, 2, places, MPI_DOUBLE, &all);
    MPI_Type_commit(&windows);
    MPI_Type_commit(&all);
    double a[6], got[12], more[6];
    for (int i = 0; i < 6; ++i) a[i] = x[i] * x[i + 1];
    MPI_Sendrecv(a, 1, windows, (rank + 1) % size, 0, got, 12, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Allgather(a, 1, all, y, 6, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Sendrecv(a, 1, all, (rank + 1) % size, 0, more, 6, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < 12; ++i) y[i] = y[i] + got[i] * got[i] * more[i % 6] + more[i % 6];
    MPI_Type_free(&windows);
    MPI_Type_free(&all);
}
