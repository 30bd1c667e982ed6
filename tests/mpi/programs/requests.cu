/*---
wrt = ["x"]
of = ["y"]
[inputs]
x = { shape = [8], random = 1 }
y = { shape = [8], random = 2 }
n = 8
[[cases]]
name = "halo"
function = "halo"
[[cases]]
name = "out-of-order"
function = "out_of_order"
[[cases]]
name = "mixed"
function = "mixed"
[[cases]]
name = "numbers"
function = "numbers"
[[cases]]
name = "polled"
function = "polled"
[[cases]]
name = "any"
function = "any"
[[cases]]
name = "self"
function = "to_itself"
[[cases]]
name = "by-value"
function = "to_kernel"
---*/
// Requests: waited for in any order, in time loops, one by one; messages along one way do not overtake each other.
#include <mpi.h>

__global__ void inner(double *next, const double *u, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 2;
    if (i < n - 2) next[i] = u[i] + 0.1 * (u[i - 1] - 2 * u[i] + u[i + 1]) * u[i];
}

__global__ void edge(double *next, const double *u, int n)
{
    int i = threadIdx.x == 0 ? 1 : n - 2;
    next[i] = u[i] + 0.1 * (u[i - 1] - 2 * u[i] + u[i + 1]) * u[i];
}

// A time loop: the inner cells while the halo is on its way.
void halo(const double *x, double *y, int n)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    double *u, *v;
    cudaMalloc(&u, n * sizeof(double));
    cudaMalloc(&v, n * sizeof(double));
    cudaMemcpy(u, x, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(v, x, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int step = 0; step < 4; ++step) {
        MPI_Request requests[4];
        int k = 0;
        MPI_Irecv(u, 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[k++]);
        MPI_Irecv(u + n - 1, 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[k++]);
        MPI_Isend(u + 1, 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[k++]);
        MPI_Isend(u + n - 2, 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[k++]);
        inner<<<1, 32>>>(v, u, n);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        edge<<<1, 2>>>(v, u, n);
        double *w = u;
        u = v;
        v = w;
    }
    cudaMemcpy(y, u, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(u);
    cudaFree(v);
}

// Several messages along one way; the receiver waits for the last one first.
void out_of_order(const double *x, double *y, int n)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double a[3], b[3];
    MPI_Request in[3], out[3];
    for (int k = 0; k < 3; ++k) {
        MPI_Irecv(&b[k], 1, MPI_DOUBLE, (rank + size - 1) % size, 4, MPI_COMM_WORLD, &in[k]);
    }
    for (int k = 0; k < 3; ++k) {
        a[k] = x[k] * x[k + 1];
        MPI_Isend(&a[k], 1, MPI_DOUBLE, (rank + 1) % size, 4, MPI_COMM_WORLD, &out[k]);
    }
    MPI_Wait(&in[2], MPI_STATUS_IGNORE);
    y[0] = b[2] * x[0];
    MPI_Wait(&out[1], MPI_STATUS_IGNORE);
    MPI_Wait(&in[0], MPI_STATUS_IGNORE);
    y[1] = b[0] * b[0] * b[2];
    MPI_Wait(&in[1], MPI_STATUS_IGNORE);
    y[2] = b[1] * b[1];
    MPI_Wait(&out[2], MPI_STATUS_IGNORE);
    MPI_Wait(&out[0], MPI_STATUS_IGNORE);
}

// A receive that waits while a later one along the same way is done at once; the other way round in the next round.
void mixed(const double *x, double *y, int n)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    for (int round = 0; round < 2; ++round) {
        double sent[2] = {x[round] * x[round], x[2] + round}, got[2];
        MPI_Request r, s, t;
        MPI_Irecv(&got[0], 1, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, &r);
        MPI_Isend(&sent[0], 1, MPI_DOUBLE, to, 0, MPI_COMM_WORLD, &s);
        MPI_Isend(&sent[1], 1, MPI_DOUBLE, to, 0, MPI_COMM_WORLD, &t);
        MPI_Recv(&got[1], 1, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        y[2 * round] = got[1] * got[1];
        MPI_Status status;
        MPI_Wait(&r, &status);
        y[2 * round + 1] = got[0] * got[1] + status.MPI_SOURCE;
        MPI_Wait(&t, MPI_STATUS_IGNORE);
        MPI_Wait(&s, MPI_STATUS_IGNORE);
    }
}

// Numbers in variables, and in fields of structs; a variable that is received again and again.
struct message {
    double value;
    MPI_Request request;
    int from;
};

void numbers(const double *x, double *y, int n)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double total = 1, got = x[3];
    for (int k = 0; k < 3; ++k) {
        struct message m;
        m.from = (rank + size - 1) % size;
        double sent = total * x[k] + got;
        MPI_Request s;
        MPI_Irecv(&m.value, 1, MPI_DOUBLE, m.from, k, MPI_COMM_WORLD, &m.request);
        MPI_Isend(&sent, 1, MPI_DOUBLE, (rank + 1) % size, k, MPI_COMM_WORLD, &s);
        MPI_Wait(&m.request, MPI_STATUS_IGNORE);
        MPI_Wait(&s, MPI_STATUS_IGNORE);
        total = total * m.value * m.value;
        MPI_Irecv(&got, 1, MPI_DOUBLE, m.from, 10 + k, MPI_COMM_WORLD, &m.request);
        MPI_Send(&total, 1, MPI_DOUBLE, (rank + 1) % size, 10 + k, MPI_COMM_WORLD);
        MPI_Wait(&m.request, MPI_STATUS_IGNORE);
        y[k] = got * m.value;
    }
    y[3] = total;
}

void polled(const double *x, double *y, int n)
{
    int rank, size, done = 0, tests = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Request r[2];
    double a = x[0] * x[1], b = 0;
    MPI_Irecv(&b, 1, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Issend(&a, 1, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD, &r[1]);
    while (!done) {
        MPI_Test(&r[0], &done, MPI_STATUS_IGNORE);
        ++tests;
    }
    y[0] = b * b * x[2];
    for (done = 0; !done;) {
        MPI_Testall(2, r, &done, MPI_STATUSES_IGNORE);
    }
    y[1] = tests > 0 ? b * a : 0;
}

void any(const double *x, double *y, int n)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double got[4];
    MPI_Request in[4], out[4];
    for (int r = 0; r < size; ++r) {
        MPI_Irecv(&got[r], 1, MPI_DOUBLE, r, 0, MPI_COMM_WORLD, &in[r]);
        MPI_Isend(&x[r], 1, MPI_DOUBLE, r, 0, MPI_COMM_WORLD, &out[r]);
    }
    for (int k = 0; k < size; ++k) {
        int which;
        MPI_Status status;
        MPI_Waitany(size, in, &which, &status);
        y[which] = got[which] * got[which] * x[status.MPI_SOURCE];
    }
    MPI_Waitall(size, out, MPI_STATUSES_IGNORE);
}

void to_itself(const double *x, double *y, int n)
{
    MPI_Request r[2];
    double *held = (double *)malloc(n * sizeof(double));
    MPI_Irecv(held, n, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, r);
    MPI_Isend(x, n, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, r + 1);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    for (int i = 0; i < n; ++i) y[i] = held[i] * held[i];
    free(held);
}

__global__ void by_square(double *y, const double *x, double factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * factor * factor;
}

// What has come goes to a kernel by value, whose adjoint of it lies on the device.
void to_kernel(const double *x, double *y, int n)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double *u, *v, sent = x[0] * x[1], factor = x[2];
    cudaMalloc(&u, n * sizeof(double));
    cudaMalloc(&v, n * sizeof(double));
    cudaMemcpy(u, x, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int k = 0; k < 2; ++k) {
        MPI_Request r[2];
        by_square<<<1, 32>>>(v, u, factor, n);
        MPI_Irecv(&factor, 1, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD, &r[0]);
        MPI_Isend(&sent, 1, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        by_square<<<1, 32>>>(u, v, factor, n);
        sent = sent * factor;
    }
    cudaMemcpy(y, u, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(u);
    cudaFree(v);
}
