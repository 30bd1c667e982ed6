/*---
wrt = ["x"]
of = ["y"]
[inputs]
x = { shape = [6], random = 1 }
y = { shape = [6], random = 2 }
n = 6
[[cases]]
name = "ring"
function = "ring"
[[cases]]
name = "overwritten"
function = "overwritten"
[[cases]]
name = "wildcards"
function = "wildcards"
[[cases]]
name = "ends"
function = "ends"
[[cases]]
name = "replaced"
function = "replaced"
[[cases]]
name = "float"
function = "in_float"
[[cases]]
name = "partial"
function = "partial"
[[cases]]
name = "buffered"
function = "buffered"
---*/
// Messages that are waited for at once: what is overwritten, what comes from anywhere, what goes nowhere.
#include <mpi.h>

__global__ void square(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * x[i];
}

// Each rank sends to the next; rank 0 begins.
void ring(const double *x, double *y, int n)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size == 1) {
        for (int i = 0; i < n; ++i) y[i] = x[i] * x[i];
        return;
    }
    if (rank == 0) {
        MPI_Send(x, n, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD);
        MPI_Recv(y, n, MPI_DOUBLE, size - 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(y, n, MPI_DOUBLE, rank - 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < n; ++i) y[i] = y[i] * x[i];
        MPI_Ssend(y, n, MPI_DOUBLE, (rank + 1) % size, 3, MPI_COMM_WORLD);
    }
    for (int i = 0; i < n; ++i) y[i] *= y[i];
}

// What is received overwrites what is used before; in device memory.
void overwritten(const double *x, double *y, int n)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double *d, *e;
    cudaMalloc(&d, n * sizeof(double));
    cudaMalloc(&e, n * sizeof(double));
    cudaMemcpy(d, x, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int step = 0; step < 3; ++step) {
        square<<<1, 32>>>(e, d, n);
        cudaDeviceSynchronize();
        MPI_Sendrecv(e, n, MPI_DOUBLE, (rank + 1) % size, step, d, n, MPI_DOUBLE, (rank + size - 1) % size, step,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    cudaMemcpy(y, d, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d);
    cudaFree(e);
}

// Rank 0 takes messages as they come, and answers each sender.
void wildcards(const double *x, double *y, int n)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < n; ++i) y[i] = x[i] * x[i];
    if (rank != 0) {
        MPI_Send(y, n, MPI_DOUBLE, 0, 100 + rank, MPI_COMM_WORLD);
        MPI_Recv(y, n, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (int k = 1; rank == 0 && k < size; ++k) {
        double *held = (double *)malloc(n * sizeof(double));
        MPI_Status status;
        MPI_Recv(held, n, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        for (int i = 0; i < n; ++i) {
            held[i] *= x[i] * (status.MPI_TAG - 99);
        }
        MPI_Send(held, n, MPI_DOUBLE, status.MPI_SOURCE, 5, MPI_COMM_WORLD);
        free(held);
    }
}

// A line of ranks: those at the ends have no neighbour, and keep what they had.
void ends(const double *x, double *y, int n)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    double halo[2] = {x[0] * 2, x[1] * x[1]};
    double mine = x[n - 1] * x[n - 1];
    MPI_Sendrecv(&mine, 1, MPI_DOUBLE, right, 0, &halo[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&x[2], 1, MPI_DOUBLE, left, 1, &halo[1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; ++i) y[i] = halo[0] * x[i] + halo[1] * halo[1];
}

void replaced(const double *x, double *y, int n)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < n; ++i) y[i] = x[i] * x[i];
    for (int step = 1; step < 3; ++step) {
        MPI_Status status;
        MPI_Sendrecv_replace(y, n, MPI_DOUBLE, (rank + step) % size, 0, (rank + 2 * size - step) % size, 0,
                             MPI_COMM_WORLD, &status);
        for (int i = 0; i < n; ++i) y[i] = y[i] * y[i] * x[i] + status.MPI_SOURCE;
    }
    int to = rank == size - 1 ? MPI_PROC_NULL : rank + 1, from = rank == 0 ? MPI_PROC_NULL : rank - 1;
    MPI_Sendrecv_replace(y, n, MPI_DOUBLE, to, 0, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void in_float(const double *x, double *y, int n)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    float sent[2], got[2];
    for (int i = 0; i < n; i += 2) {
        sent[0] = (float)(x[i] * x[i]);
        sent[1] = (float)(x[i + 1]);
        MPI_Sendrecv(sent, 2, MPI_FLOAT, (rank + 1) % size, 9, got, 2, MPI_FLOAT, (rank + size - 1) % size, 9,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        y[i] = got[0] * got[1];
        y[i + 1] = got[1] * x[i];
    }
}

// The receiver has room for more than comes, and asks how much that was; integers go along.
void partial(const double *x, double *y, int n)
{
    int rank, size, count, number;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Status status;
    int some = rank % 2 + 2;
    MPI_Sendrecv(x, some, MPI_DOUBLE, (rank + 1) % size, 1, y, n, MPI_DOUBLE, (rank + size - 1) % size, 1,
                 MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    MPI_Sendrecv(&some, 1, MPI_INT, (rank + 1) % size, 2, &number, 1, MPI_INT, (rank + size - 1) % size, 2,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; ++i) y[i] = i < count ? y[i] * y[i] * number : x[i] * y[i];
}

// A buffer of the program's takes what is sent; and a receiver who is ready.
void buffered(const double *x, double *y, int n)
{
    int rank, size, bytes = 3 * 8 + MPI_BSEND_OVERHEAD;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double a[3] = {x[0] * x[1], x[2], x[3] * x[3]}, b[3];
    void *room = malloc(bytes);
    MPI_Buffer_attach(room, bytes);
    MPI_Bsend(a, 3, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 3; ++i) a[i] = a[i] * a[i];
    MPI_Recv(b, 3, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    double c[1] = {a[0] * b[0]}, d[1];
    MPI_Request r;
    MPI_Irecv(d, 1, MPI_DOUBLE, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &r);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Rsend(c, 1, MPI_DOUBLE, (rank + 1) % size, 1, MPI_COMM_WORLD);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&room, &bytes);
    free(room);
    for (int i = 0; i < 3; ++i) y[i] = a[i] * b[i] * b[i] * d[0];
}
