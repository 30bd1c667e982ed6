// A Fourier transform in two dimensions of n rows on each rank: transforms of rows, a transpose by MPI_Alltoall,
// transforms of what were columns.  What is returned weighs the spectrum.
#include <mpi.h>

// y = the transform of `rows` rows of m complex numbers, by its definition.
__global__ void transform(double *y, const double *x, int rows, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * m) {
        int row = i / m, k = i % m;
        double re = 0, im = 0;
        for (int j = 0; j < m; ++j) {
            double angle = -2 * M_PI * ((j * k) % m) / m, c = cos(angle), s = sin(angle);
            re += x[2 * (row * m + j)] * c - x[2 * (row * m + j) + 1] * s;
            im += x[2 * (row * m + j)] * s + x[2 * (row * m + j) + 1] * c;
        }
        y[2 * i] = re;
        y[2 * i + 1] = im;
    }
}

// a: n of the m rows of a matrix of m x m complex numbers.
double objective(const double *a, int n, MPI_Comm comm)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int m = n * size, count = 2 * n * m;
    size_t bytes = count * sizeof(double);
    double *d, *e, *rows = (double *)malloc(bytes), *blocks = (double *)malloc(bytes), *sent = (double *)malloc(bytes);
    cudaMalloc(&d, bytes);
    cudaMalloc(&e, bytes);
    cudaMemcpy(d, a, bytes, cudaMemcpyHostToDevice);
    transform<<<(n * m + 63) / 64, 64>>>(e, d, n, m);
    cudaMemcpy(rows, e, bytes, cudaMemcpyDeviceToHost);
    for (int r = 0; r < size; ++r)
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i)
                for (int part = 0; part < 2; ++part)
                    sent[2 * ((r * n + j) * n + i) + part] = rows[2 * (i * m + r * n + j) + part];
    MPI_Alltoall(sent, 2 * n * n, MPI_DOUBLE, blocks, 2 * n * n, MPI_DOUBLE, comm);
    for (int r = 0; r < size; ++r)
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i)
                for (int part = 0; part < 2; ++part)
                    rows[2 * (j * m + r * n + i) + part] = blocks[2 * ((r * n + j) * n + i) + part];
    cudaMemcpy(d, rows, bytes, cudaMemcpyHostToDevice);
    transform<<<(n * m + 63) / 64, 64>>>(e, d, n, m);
    cudaMemcpy(rows, e, bytes, cudaMemcpyDeviceToHost);
    double local = 0, total;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
            double re = rows[2 * (j * m + i)], im = rows[2 * (j * m + i) + 1];
            local += (re * re + im * im) * re / (1 + j + rank * n + i);
        }
    MPI_Allreduce(&local, &total, 1, MPI_DOUBLE, MPI_SUM, comm);
    cudaFree(d);
    cudaFree(e);
    free(rows);
    free(blocks);
    free(sent);
    return total;
}
