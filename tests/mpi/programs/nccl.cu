/*---
wrt = ["x"]
of = ["y"]
[inputs]
x = { shape = [16], random = 1 }
y = { shape = [16], random = 2 }
n = 4
[[cases]]
name = "sums"
function = "sums"
[[cases]]
name = "blocks"
function = "blocks"
[[cases]]
name = "ring"
function = "ring"
[[cases]]
name = "float"
function = "in_float"
---*/
// NCCL, one process for each device: operations on streams, in groups, in place.  x and y have room for 4 ranks.
#include <mpi.h>
#include <nccl.h>

#define CHECK(call)                                                        \
    do {                                                                   \
        ncclResult_t e = (call);                                           \
        if (e != ncclSuccess) {                                            \
            printf("%s\n", ncclGetErrorString(e));                         \
            exit(1);                                                       \
        }                                                                  \
    } while (0)

__global__ void square(double *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] *= a[i];
}

__global__ void multiply(double *a, const double *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] *= b[i] + 0.5;
}

static ncclComm_t connected(int *rank, int *size)
{
    ncclUniqueId id;
    ncclComm_t comm;
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, size);
    if (*rank == 0) ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
    CHECK(ncclCommInitRank(&comm, *size, id, *rank));
    return comm;
}

void sums(const double *x, double *y, int n)
{
    int rank, size;
    ncclComm_t comm = connected(&rank, &size);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    double *a, *b;
    cudaMalloc(&a, 16 * sizeof(double));
    cudaMalloc(&b, 16 * sizeof(double));
    cudaMemcpy(a, x, 16 * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(b, x, 16 * sizeof(double), cudaMemcpyHostToDevice);
    square<<<1, 32, 0, stream>>>(a, 16);
    CHECK(ncclAllReduce(a, b, n, ncclDouble, ncclSum, comm, stream));
    multiply<<<1, 32, 0, stream>>>(b, a, 16);
    ncclAllReduce(b + 4, b + 4, n, ncclDouble, ncclAvg, comm, stream);
    square<<<1, 32, 0, stream>>>(b, 16);
    ncclReduce(b, a, 2, ncclFloat64, ncclSum, size - 1, comm, stream);
    ncclBroadcast(a + 2, b + 1, 3, ncclDouble, 0, comm, stream);
    ncclBcast(b + 8, 2, ncclDouble, size - 1, comm, stream);
    multiply<<<1, 32, 0, stream>>>(b, a, 16);
    cudaStreamSynchronize(stream);
    cudaMemcpy(y, b, 16 * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    cudaStreamDestroy(stream);
    ncclCommDestroy(comm);
}

void blocks(const double *x, double *y, int n)
{
    int rank, size;
    ncclComm_t comm = connected(&rank, &size);
    double *a, *b;
    cudaMalloc(&a, 16 * sizeof(double));
    cudaMalloc(&b, 16 * sizeof(double));
    cudaMemcpy(a, x, 16 * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(b, x, 16 * sizeof(double), cudaMemcpyHostToDevice);
    square<<<1, 32>>>(a, 16);
    ncclAllGather(a, b, n, ncclDouble, comm, 0);
    square<<<1, 32>>>(b, 16);
    ncclReduceScatter(b, a, n, ncclDouble, ncclSum, comm, 0);
    multiply<<<1, 32>>>(a, b, 16);
    ncclAllGather(a + rank * n, a, n, ncclDouble, comm, 0);
    multiply<<<1, 32>>>(b, a, 16);
    cudaMemcpy(y, b, 16 * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    ncclCommDestroy(comm);
}

// Messages in groups: to the next, from the one before; and all to all.
void ring(const double *x, double *y, int n)
{
    int rank, size;
    ncclComm_t comm = connected(&rank, &size);
    double *a, *b;
    cudaMalloc(&a, 16 * sizeof(double));
    cudaMalloc(&b, 16 * sizeof(double));
    cudaMemcpy(a, x, 16 * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(b, x, 16 * sizeof(double), cudaMemcpyHostToDevice);
    for (int step = 0; step < 2; ++step) {
        square<<<1, 32>>>(a, 16);
        ncclGroupStart();
        ncclSend(a, n, ncclDouble, (rank + 1) % size, comm, 0);
        ncclRecv(b, n, ncclDouble, (rank + size - 1) % size, comm, 0);
        ncclGroupEnd();
        multiply<<<1, 32>>>(a, b, 16);
    }
    ncclGroupStart();
    for (int r = 0; r < size; ++r) {
        ncclSend(a + 2 * r, 2, ncclDouble, r, comm, 0);
        ncclRecv(b + 2 * r, 2, ncclDouble, r, comm, 0);
    }
    ncclGroupEnd();
    square<<<1, 32>>>(b, 16);
    if (rank == 0) {
        for (int r = 1; r < size; ++r) ncclRecv(a + 2 * r, 1, ncclDouble, r, comm, 0);
    } else {
        ncclSend(b, 1, ncclDouble, 0, comm, 0);
    }
    multiply<<<1, 32>>>(b, a, 16);
    cudaMemcpy(y, b, 16 * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    ncclCommDestroy(comm);
}

void in_float(const double *x, double *y, int n)
{
    int rank, size;
    ncclComm_t comm = connected(&rank, &size);
    float host[4], *a;
    cudaMalloc(&a, 4 * sizeof(float));
    for (int i = 0; i < 4; ++i) host[i] = (float)(x[i] * x[i]);
    cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
    ncclAllReduce(a, a, 4, ncclFloat, ncclSum, comm, 0);
    cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 4; ++i) y[i] = host[i] * x[i + 4];
    cudaFree(a);
    ncclCommDestroy(comm);
}
