// samples/heat_on_ranks.cu for an MPI that cannot read device memory: the cells at the ends pass through host memory,
// while a kernel updates those inside.
#include <mpi.h>

__device__ double heated(const double *u, const double *k, int i)
{
    double left = (k[i - 1] + k[i]) * (1 + 0.2 * u[i]) * (u[i - 1] - u[i]);
    double right = (k[i] + k[i + 1]) * (1 + 0.2 * u[i]) * (u[i + 1] - u[i]);
    return u[i] + 0.2 * (left + right);
}

__global__ void inside(double *next, const double *u, const double *k, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 2;
    if (i < n) next[i] = heated(u, k, i);
}

__global__ void ends(double *next, const double *u, const double *k, int n)
{
    int i = threadIdx.x == 0 ? 1 : n;
    next[i] = heated(u, k, i);
}

// The cells beside this rank's own, of an array of n + 2.
void exchange(double *cells, int n, int left, int right, MPI_Comm comm)
{
    double mine[2], theirs[2] = {0, 0};
    cudaMemcpy(&mine[0], cells + 1, sizeof(double), cudaMemcpyDeviceToHost);
    cudaMemcpy(&mine[1], cells + n, sizeof(double), cudaMemcpyDeviceToHost);
    MPI_Sendrecv(&mine[0], 1, MPI_DOUBLE, left, 0, &theirs[1], 1, MPI_DOUBLE, right, 0, comm, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&mine[1], 1, MPI_DOUBLE, right, 0, &theirs[0], 1, MPI_DOUBLE, left, 0, comm, MPI_STATUS_IGNORE);
    cudaMemcpy(cells, &theirs[0], sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(cells + n + 1, &theirs[1], sizeof(double), cudaMemcpyHostToDevice);
}

// u: n cells of temperature; k: their conductivities; wanted: the temperatures to be reached after so many steps.
double misfit(const double *u, const double *k, const double *wanted, int n, int steps, MPI_Comm comm)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;

    size_t bytes = (n + 2) * sizeof(double);
    double *now, *next, *conductivity;
    cudaMalloc(&now, bytes);
    cudaMalloc(&next, bytes);
    cudaMalloc(&conductivity, bytes);
    cudaMemset(now, 0, bytes);
    cudaMemset(next, 0, bytes);
    cudaMemset(conductivity, 0, bytes);
    cudaMemcpy(now + 1, u, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(conductivity + 1, k, n * sizeof(double), cudaMemcpyHostToDevice);
    exchange(conductivity, n, left, right, comm);

    for (int step = 0; step < steps; ++step) {
        MPI_Request requests[4];
        double mine[2], theirs[2] = {0, 0};
        cudaMemcpy(&mine[0], now + 1, sizeof(double), cudaMemcpyDeviceToHost);
        cudaMemcpy(&mine[1], now + n, sizeof(double), cudaMemcpyDeviceToHost);
        inside<<<(n + 63) / 64, 64>>>(next, now, conductivity, n);
        MPI_Irecv(&theirs[0], 1, MPI_DOUBLE, left, 1, comm, &requests[0]);
        MPI_Irecv(&theirs[1], 1, MPI_DOUBLE, right, 2, comm, &requests[1]);
        MPI_Isend(&mine[0], 1, MPI_DOUBLE, left, 2, comm, &requests[2]);
        MPI_Isend(&mine[1], 1, MPI_DOUBLE, right, 1, comm, &requests[3]);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        cudaMemcpy(now, &theirs[0], sizeof(double), cudaMemcpyHostToDevice);
        cudaMemcpy(now + n + 1, &theirs[1], sizeof(double), cudaMemcpyHostToDevice);
        ends<<<1, 2>>>(next, now, conductivity, n);
        double *swapped = now;
        now = next;
        next = swapped;
    }

    double *result = (double *)malloc(n * sizeof(double)), local = 0, total = 0;
    cudaMemcpy(result, now + 1, n * sizeof(double), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i) local += (result[i] - wanted[i]) * (result[i] - wanted[i]);
    MPI_Allreduce(&local, &total, 1, MPI_DOUBLE, MPI_SUM, comm);
    free(result);
    cudaFree(now);
    cudaFree(next);
    cudaFree(conductivity);
    return total;
}
