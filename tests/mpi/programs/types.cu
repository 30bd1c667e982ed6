/*---
wrt = ["x"]
of = ["y"]
[inputs]
x = { shape = [24], random = 1 }
y = { shape = [24], random = 2 }
n = 4
[[cases]]
name = "column"
function = "column"
[[cases]]
name = "block"
function = "block"
[[cases]]
name = "on-device"
function = "on_device"
[[cases]]
name = "groups"
function = "groups"
[[cases]]
name = "grid"
function = "grid"
[[cases]]
name = "again-and-again"
function = "again"
[[cases]]
name = "in-structs"
function = "in_structs"
---*/
// Types of MPI's making, and communicators.
#include <mpi.h>

// Columns of a matrix with 4 rows and 6 columns, in blocks with gaps.
void column(const double *x, double *y, int n)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Datatype type;
    MPI_Type_vector(n, 1, 6, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    double a[24];
    for (int i = 0; i < 24; ++i) a[i] = x[i] * x[i];
    for (int step = 0; step < 2; ++step) {
        MPI_Sendrecv(a + 4, 1, type, (rank + 1) % size, 0, a, 1, type, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Request r[2];
        MPI_Irecv(a + 5, 1, type, (rank + 1) % size, 1, MPI_COMM_WORLD, r);
        MPI_Isend(a + 1, 1, type, (rank + size - 1) % size, 1, MPI_COMM_WORLD, r + 1);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        for (int i = 0; i < 24; ++i) a[i] *= a[i] + x[i];
    }
    MPI_Bcast(a + 2, 1, type, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 24; ++i) y[i] = a[i] * a[i];
    MPI_Type_free(&type);
}

// Part of a matrix to a row of numbers, and rows of numbers into a matrix.
void block(const double *x, double *y, int n)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int sizes[2] = {4, 6}, sub[2] = {2, 3}, start[2] = {1, 2};
    MPI_Datatype part, pair;
    MPI_Type_create_subarray(2, sizes, sub, start, MPI_ORDER_C, MPI_DOUBLE, &part);
    MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
    MPI_Type_commit(&part);
    MPI_Type_commit(&pair);
    double got[6];
    MPI_Sendrecv(x, 1, part, (rank + 1) % size, 0, got, 3, pair, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < 24; ++i) y[i] = x[i] * x[i];
    for (int i = 0; i < 6; ++i) got[i] *= got[i];
    MPI_Sendrecv(got, 6, MPI_DOUBLE, (rank + 1) % size, 0, y, 1, part, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < 24; ++i) y[i] *= y[i];
    MPI_Gather(x, 1, pair, y, 1, pair, 0, MPI_COMM_WORLD);
    MPI_Type_free(&part);
    MPI_Type_free(&pair);
}

__global__ void square(double *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] *= a[i];
}

void on_device(const double *x, double *y, int n)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Datatype type;
    MPI_Type_vector(n, 2, 6, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    double *a;
    cudaMalloc(&a, 24 * sizeof(double));
    cudaMemcpy(a, x, 24 * sizeof(double), cudaMemcpyHostToDevice);
    square<<<1, 32>>>(a, 24);
    cudaDeviceSynchronize();
    MPI_Sendrecv(a + 4, 1, type, (rank + 1) % size, 0, a, 1, type, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Allreduce(MPI_IN_PLACE, a + 12, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    square<<<1, 32>>>(a, 24);
    cudaMemcpy(y, a, 24 * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(a);
}

// Ranks of the same parity, in the opposite order; some are in no group at all.
void groups(const double *x, double *y, int n)
{
    int rank, size, mine;
    MPI_Comm world = MPI_COMM_WORLD, group, copy, some;
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    MPI_Comm_dup(world, &copy);
    MPI_Comm_split(copy, rank % 2, -rank, &group);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 0, 0, &some);
    double a[4];
    for (int i = 0; i < n; ++i) a[i] = x[i] * x[i];
    MPI_Allreduce(MPI_IN_PLACE, a, n, MPI_DOUBLE, MPI_SUM, group);
    MPI_Comm_rank(group, &mine);
    for (int i = 0; i < n; ++i) a[i] *= x[i] + mine;
    MPI_Bcast(a, n, MPI_DOUBLE, size - 1, copy);
    if (some != MPI_COMM_NULL) {
        double b[4];
        MPI_Scan(a, b, n, MPI_DOUBLE, MPI_SUM, some);
        for (int i = 0; i < n; ++i) a[i] *= b[i];
        MPI_Comm_free(&some);
    }
    for (int i = 0; i < n; ++i) y[i] = a[i] * x[i + n];
    MPI_Comm_free(&group);
    MPI_Comm_free(&copy);
}

void grid(const double *x, double *y, int n)
{
    int size, rank, dims[2] = {0, 0}, periods[2] = {1, 0}, at[2];
    MPI_Comm cart;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
    MPI_Comm_rank(cart, &rank);
    MPI_Cart_coords(cart, rank, 2, at);
    for (int i = 0; i < n; ++i) y[i] = x[i] * x[i] + at[0] * x[i] + at[1];
    for (int axis = 0; axis < 2; ++axis) {
        int from, to;
        MPI_Cart_shift(cart, axis, 1, &from, &to);
        MPI_Sendrecv_replace(y, n, MPI_DOUBLE, to, axis, from, axis, cart, MPI_STATUS_IGNORE);
        for (int i = 0; i < n; ++i) y[i] *= y[i] + x[i];
    }
    MPI_Comm_free(&cart);
}

// Communicators that are made and freed in a loop.
void again(const double *x, double *y, int n)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double sum = x[0];
    for (int k = 0; k < 3; ++k) {
        MPI_Comm group;
        MPI_Comm_split(MPI_COMM_WORLD, rank % (k + 1), rank, &group);
        double part = sum * x[k], total;
        MPI_Allreduce(&part, &total, 1, MPI_DOUBLE, MPI_SUM, group);
        sum = total * total + x[k + 1];
        MPI_Comm_free(&group);
        y[k] = sum;
    }
}

struct cell {
    double value[2];
    int kind;
    float weight;
};

void in_structs(const double *x, double *y, int n)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    struct cell out, in;
    out.value[0] = x[0] * x[1];
    out.value[1] = x[2];
    out.kind = rank + 1;
    out.weight = (float)(x[3] * x[3]);
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Sendrecv(out.value, 2, MPI_DOUBLE, to, 0, in.value, 2, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&out.kind, 1, MPI_INT, to, 1, &in.kind, 1, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&out.weight, 1, MPI_FLOAT, to, 2, &in.weight, 1, MPI_FLOAT, from, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    y[0] = in.value[0] * in.value[1] * in.kind * in.weight;
}
