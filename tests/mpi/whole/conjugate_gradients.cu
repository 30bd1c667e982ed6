// Conjugate gradients for a line of cells that are cut into pieces: halo exchange in each product with the matrix, two
// sums over all ranks in each step.  What is returned is a norm of the solution.
#include <mpi.h>

__global__ void product(double *q, const double *p, const double *k, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (i <= n) q[i] = (1 + k[i - 1] * k[i - 1]) * p[i] + 0.3 * (2 * p[i] - p[i - 1] - p[i + 1]);
}

__global__ void add(double *y, const double *x, double a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (i <= n) y[i] += a * x[i];
}

__global__ void next_direction(double *p, const double *r, double b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (i <= n) p[i] = r[i] + b * p[i];
}

static double dot(const double *x, const double *y, double *host, int n, MPI_Comm comm)
{
    double local = 0, total;
    double *other = host + n;
    cudaMemcpy(host, x + 1, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaMemcpy(other, y + 1, n * sizeof(double), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i) local += host[i] * other[i];
    MPI_Allreduce(&local, &total, 1, MPI_DOUBLE, MPI_SUM, comm);
    return total;
}

static void exchange(double *p, int n, MPI_Comm comm)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    MPI_Request r[4];
    cudaDeviceSynchronize();
    MPI_Irecv(p, 1, MPI_DOUBLE, left, 0, comm, &r[0]);
    MPI_Irecv(p + n + 1, 1, MPI_DOUBLE, right, 1, comm, &r[1]);
    MPI_Isend(p + 1, 1, MPI_DOUBLE, left, 1, comm, &r[2]);
    MPI_Isend(p + n, 1, MPI_DOUBLE, right, 0, comm, &r[3]);
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
}

double objective(const double *b, const double *k, int n, MPI_Comm comm)
{
    size_t bytes = (n + 2) * sizeof(double);
    double *x, *r, *p, *q, *kappa, *host = (double *)malloc(2 * n * sizeof(double));
    cudaMalloc(&x, bytes);
    cudaMalloc(&r, bytes);
    cudaMalloc(&p, bytes);
    cudaMalloc(&q, bytes);
    cudaMalloc(&kappa, n * sizeof(double));
    cudaMemset(x, 0, bytes);
    cudaMemset(r, 0, bytes);
    cudaMemset(p, 0, bytes);
    cudaMemset(q, 0, bytes);
    cudaMemcpy(kappa, k, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(r + 1, b, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(p + 1, b, n * sizeof(double), cudaMemcpyHostToDevice);
    int blocks = (n + 31) / 32;
    double rr = dot(r, r, host, n, comm);
    for (int step = 0; step < 6; ++step) {
        exchange(p, n, comm);
        product<<<blocks, 32>>>(q, p, kappa, n);
        double alpha = rr / dot(p, q, host, n, comm);
        add<<<blocks, 32>>>(x, p, alpha, n);
        add<<<blocks, 32>>>(r, q, -alpha, n);
        double next = dot(r, r, host, n, comm);
        next_direction<<<blocks, 32>>>(p, r, next / rr, n);
        rr = next;
    }
    double result = dot(x, x, host, n, comm);
    cudaFree(x);
    cudaFree(r);
    cudaFree(p);
    cudaFree(q);
    cudaFree(kappa);
    free(host);
    return result;
}
