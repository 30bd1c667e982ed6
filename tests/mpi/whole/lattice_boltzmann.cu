// A lattice Boltzmann method on a line (D1Q3, BGK), cut into pieces: in each step what leaves a piece to the right and to
// the left goes to the neighbours, around a ring, while the cells inside collide and stream.
#include <mpi.h>

#define AT(q, i) ((q) * (n + 2) + (i))  // q = 0: at rest, 1: to the right, 2: to the left; cells 0 and n + 1 are halos

__global__ void collide(double *f, const double *omega, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (i > n) return;
    double density = f[AT(0, i)] + f[AT(1, i)] + f[AT(2, i)], velocity = (f[AT(1, i)] - f[AT(2, i)]) / density;
    const double w[3] = {2.0 / 3, 1.0 / 6, 1.0 / 6};
    for (int q = 0; q < 3; ++q) {
        double along = q == 0 ? 0 : q == 1 ? velocity : -velocity;
        double equilibrium = w[q] * density * (1 + 3 * along + 4.5 * along * along - 1.5 * velocity * velocity);
        f[AT(q, i)] += omega[i - 1] * (equilibrium - f[AT(q, i)]);
    }
}

__global__ void stream(double *next, const double *f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (i > n) return;
    next[AT(0, i)] = f[AT(0, i)];
    next[AT(1, i)] = f[AT(1, i - 1)];
    next[AT(2, i)] = f[AT(2, i + 1)];
}

__global__ void begin(double *f, const double *density, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (i > n) return;
    f[AT(0, i)] = density[i - 1] * 2.0 / 3;
    f[AT(1, i)] = f[AT(2, i)] = density[i - 1] / 6;
}

__global__ void densities(double *density, const double *f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (i <= n) density[i - 1] = f[AT(0, i)] + f[AT(1, i)] + f[AT(2, i)];
}

// How far the density is from the wanted one after so many steps; omega is how fast each cell comes to equilibrium.
double objective(const double *density, const double *omega, const double *wanted, int n, int steps, MPI_Comm comm)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    double *f, *next, *rate, *rho, *held = (double *)malloc(n * sizeof(double)), part = 0, total;
    cudaMalloc(&f, 3 * (n + 2) * sizeof(double));
    cudaMalloc(&next, 3 * (n + 2) * sizeof(double));
    cudaMalloc(&rate, n * sizeof(double));
    cudaMalloc(&rho, n * sizeof(double));
    cudaMemset(next, 0, 3 * (n + 2) * sizeof(double));
    cudaMemcpy(rate, omega, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(rho, density, n * sizeof(double), cudaMemcpyHostToDevice);
    begin<<<(n + 31) / 32, 32>>>(f, rho, n);
    for (int step = 0; step < steps; ++step) {
        collide<<<(n + 31) / 32, 32>>>(f, rate, n);
        cudaDeviceSynchronize();
        MPI_Sendrecv(f + AT(1, n), 1, MPI_DOUBLE, right, 0, f + AT(1, 0), 1, MPI_DOUBLE, left, 0, comm, MPI_STATUS_IGNORE);
        MPI_Sendrecv(f + AT(2, 1), 1, MPI_DOUBLE, left, 1, f + AT(2, n + 1), 1, MPI_DOUBLE, right, 1, comm,
                     MPI_STATUS_IGNORE);
        stream<<<(n + 31) / 32, 32>>>(next, f, n);
        double *swapped = f;
        f = next;
        next = swapped;
    }
    densities<<<(n + 31) / 32, 32>>>(rho, f, n);
    cudaMemcpy(held, rho, n * sizeof(double), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i) part += (held[i] - wanted[i]) * (held[i] - wanted[i]);
    MPI_Allreduce(&part, &total, 1, MPI_DOUBLE, MPI_SUM, comm);
    free(held);
    cudaFree(f);
    cudaFree(next);
    cudaFree(rate);
    cudaFree(rho);
    return total;
}
