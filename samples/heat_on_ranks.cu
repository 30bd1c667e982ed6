// Heat on a rod that is cut into pieces, one for each rank of MPI: in each step the ranks exchange the cells at their
// ends (MPI_Irecv, MPI_Isend) while a kernel updates the cells inside.  Conductivity depends on temperature, so the
// steps are not linear.  What is returned is how far the rod is from a wanted state: a sum over all ranks
// (MPI_Allreduce), the same number on each of them.  Run it with `mpirun -n 4 hetad gradcheck heat_on_ranks.toml`.
#include <mpi.h>

__device__ double heated(const double *u, const double *k, int i)
{
    double left = (k[i - 1] + k[i]) * (1 + 0.2 * u[i]) * (u[i - 1] - u[i]);
    double right = (k[i] + k[i + 1]) * (1 + 0.2 * u[i]) * (u[i + 1] - u[i]);
    return u[i] + 0.2 * (left + right);
}

// The cells whose neighbours are this rank's own.
__global__ void inside(double *next, const double *u, const double *k, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 2;
    if (i < n) next[i] = heated(u, k, i);
}

// The first and the last cell, whose neighbours have come from other ranks.
__global__ void ends(double *next, const double *u, const double *k, int n)
{
    int i = threadIdx.x == 0 ? 1 : n;
    next[i] = heated(u, k, i);
}

// u: n cells of temperature; k: their conductivities; wanted: the temperatures to be reached after so many steps.
double misfit(const double *u, const double *k, const double *wanted, int n, int steps, MPI_Comm comm)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;

    size_t bytes = (n + 2) * sizeof(double);  // with a cell of each neighbour
    double *now, *next, *conductivity;
    cudaMalloc(&now, bytes);
    cudaMalloc(&next, bytes);
    cudaMalloc(&conductivity, bytes);
    cudaMemset(now, 0, bytes);
    cudaMemset(next, 0, bytes);
    cudaMemset(conductivity, 0, bytes);
    cudaMemcpy(now + 1, u, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(conductivity + 1, k, n * sizeof(double), cudaMemcpyHostToDevice);
    MPI_Sendrecv(conductivity + 1, 1, MPI_DOUBLE, left, 0, conductivity + n + 1, 1, MPI_DOUBLE, right, 0, comm,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(conductivity + n, 1, MPI_DOUBLE, right, 0, conductivity, 1, MPI_DOUBLE, left, 0, comm,
                 MPI_STATUS_IGNORE);

    for (int step = 0; step < steps; ++step) {
        MPI_Request requests[4];
        cudaDeviceSynchronize();
        MPI_Irecv(now, 1, MPI_DOUBLE, left, 1, comm, &requests[0]);
        MPI_Irecv(now + n + 1, 1, MPI_DOUBLE, right, 2, comm, &requests[1]);
        MPI_Isend(now + 1, 1, MPI_DOUBLE, left, 2, comm, &requests[2]);
        MPI_Isend(now + n, 1, MPI_DOUBLE, right, 1, comm, &requests[3]);
        inside<<<(n + 63) / 64, 64>>>(next, now, conductivity, n);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
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
