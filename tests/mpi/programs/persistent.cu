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
name = "overwritten"
function = "overwritten"
[[cases]]
name = "variables"
function = "variables"
[[cases]]
name = "freed"
function = "freed"
---*/
// Requests that are made once and started in each step.
#include <mpi.h>

__global__ void step_inside(double *next, const double *u, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (i < n - 1) next[i] = u[i] + 0.1 * (u[i - 1] - 2 * u[i] + u[i + 1]) * u[i];
}

// The halos of two arrays, of which each step updates one from the other.
void halo(const double *x, double *y, int n)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    double *u[2];
    MPI_Request requests[2][4];
    for (int k = 0; k < 2; ++k) {
        cudaMalloc(&u[k], n * sizeof(double));
        cudaMemcpy(u[k], x, n * sizeof(double), cudaMemcpyHostToDevice);
        MPI_Recv_init(u[k], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[k][0]);
        MPI_Recv_init(u[k] + n - 1, 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[k][1]);
        MPI_Send_init(u[k] + 1, 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[k][2]);
        MPI_Ssend_init(u[k] + n - 2, 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[k][3]);
    }
    for (int step = 0; step < 5; ++step) {
        MPI_Startall(4, requests[step % 2]);
        MPI_Waitall(4, requests[step % 2], MPI_STATUSES_IGNORE);
        step_inside<<<1, 32>>>(u[(step + 1) % 2], u[step % 2], n);
        cudaDeviceSynchronize();
    }
    cudaMemcpy(y, u[1], n * sizeof(double), cudaMemcpyDeviceToHost);
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < 4; ++i) MPI_Request_free(&requests[k][i]);
        cudaFree(u[k]);
    }
}

// What is received is used before and after it is overwritten by the next start.
void overwritten(const double *x, double *y, int n)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double sent[3], got[3] = {x[3], x[4], x[5] * x[5]}, total = x[6];
    MPI_Request in, out;
    MPI_Recv_init(got, 3, MPI_DOUBLE, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &in);
    MPI_Send_init(sent, 3, MPI_DOUBLE, (rank + 1) % size, 7, MPI_COMM_WORLD, &out);
    for (int step = 0; step < 3; ++step) {
        for (int i = 0; i < 3; ++i) sent[i] = x[i] * total + got[i] * got[i];
        total = total * got[0] + got[2];
        MPI_Start(&in);
        MPI_Start(&out);
        y[step] = sent[0] * sent[1];
        MPI_Wait(&out, MPI_STATUS_IGNORE);
        int done = 0;
        while (!done) MPI_Test(&in, &done, MPI_STATUS_IGNORE);
        for (int i = 0; i < 3; ++i) got[i] = 0.3 * got[i] * got[(i + 1) % 3];
    }
    y[3] = total + got[0] * got[1] * got[2];
    MPI_Request_free(&in);
    MPI_Request_free(&out);
}

__global__ void times(double *u, double factor, int n)
{
    int i = threadIdx.x;
    if (i < n) u[i] = u[i] * factor;
}

// Single variables; one goes to a kernel by value.
void variables(const double *x, double *y, int n)
{
    double a = x[0] * x[1], b = x[2], *u;
    MPI_Request r[2];
    cudaMalloc(&u, n * sizeof(double));
    cudaMemcpy(u, x, n * sizeof(double), cudaMemcpyHostToDevice);
    MPI_Recv_init(&b, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &r[0]);
    MPI_Send_init(&a, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &r[1]);
    for (int k = 0; k < 3; ++k) {
        times<<<1, 32>>>(u, b, n);
        MPI_Startall(2, r);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        times<<<1, 32>>>(u, b, n);
        a = a * b + x[3];
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    cudaMemcpy(y, u, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(u);
}

// A library may give a request that was freed once more.
void freed(const double *x, double *y, int n)
{
    double a[2] = {x[0] * x[1], x[2]}, b[2];
    for (int k = 0; k < 2; ++k) {
        MPI_Request r[2];
        MPI_Recv_init(&b[k], 1, MPI_DOUBLE, 0, k, MPI_COMM_SELF, &r[0]);
        MPI_Rsend_init(&a[k], 1, MPI_DOUBLE, 0, k, MPI_COMM_SELF, &r[1]);
        MPI_Start(&r[0]);
        MPI_Start(&r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        a[1] = b[k] * b[k] * x[3];
        MPI_Request_free(&r[0]);
        MPI_Request_free(&r[1]);
    }
    y[0] = b[0] * b[1];
}
