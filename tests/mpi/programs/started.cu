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
name = "extrema"
function = "extrema"
[[cases]]
name = "scans"
function = "scans"
[[cases]]
name = "blocks"
function = "blocks"
[[cases]]
name = "unequal-blocks"
function = "unequal_blocks"
[[cases]]
name = "reduce-scatter"
function = "reduce_scattered"
[[cases]]
name = "in-place"
function = "in_place"
[[cases]]
name = "order"
function = "order"
[[cases]]
name = "messages-between"
function = "between"
[[cases]]
name = "overlap"
function = "overlap"
[[cases]]
name = "alone"
function = "alone"
[[cases]]
name = "float"
function = "in_float"
[[cases]]
name = "reduced"
function = "reduced"
[[cases]]
name = "by-value"
function = "sum_to_kernel"
---*/
// Collective operations that are started, and waited for later.  x and y have room for 4 ranks.
#include <mpi.h>

void sums(const double *x, double *y, int n)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double held[4], part[4], sum[4] = {1, x[0], 2, x[1] * x[1]}, all[4];
    for (int i = 0; i < n; ++i) {
        held[i] = x[i] * x[i + 1];
        part[i] = x[i] * x[i];
    }
    MPI_Request r[4];
    double before = held[1] * held[1];
    MPI_Ibcast(held, n, MPI_DOUBLE, 1, MPI_COMM_WORLD, &r[0]);
    MPI_Ireduce(part, rank == size - 1 ? sum : NULL, n, MPI_DOUBLE, MPI_SUM, size - 1, MPI_COMM_WORLD, &r[1]);
    MPI_Iallreduce(part, all, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r[2]);
    MPI_Ibarrier(MPI_COMM_WORLD, &r[3]);
    y[8] = part[0] * part[1] + before;
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    for (int i = 0; i < n; ++i) {
        y[i] = held[i] * all[i];
        y[i + n] = sum[i] * sum[i] * part[i];
    }
}

void extrema(const double *x, double *y, int n)
{
    double held[4], best[4], product[4];
    MPI_Request r[3];
    for (int i = 0; i < n; ++i) held[i] = x[i] * x[i];
    MPI_Iallreduce(held, best, n, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &r[0]);
    MPI_Iallreduce(held, product, n, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD, &r[1]);
    MPI_Wait(&r[1], MPI_STATUS_IGNORE);
    double first = product[0];
    MPI_Iallreduce(MPI_IN_PLACE, product, n, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD, &r[2]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Wait(&r[2], MPI_STATUS_IGNORE);
    for (int i = 0; i < n; ++i) y[i] = best[i] * product[i] * x[i] + first;
}

void scans(const double *x, double *y, int n)
{
    double held[4], sum[4], before[4] = {x[4], x[5], x[6], x[7]};
    MPI_Request r[2];
    for (int i = 0; i < n; ++i) held[i] = x[i] * x[i];
    MPI_Iscan(held, sum, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r[0]);
    MPI_Iexscan(held, before, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    for (int i = 0; i < n; ++i) y[i] = sum[i] * sum[i] * before[i];
}

void blocks(const double *x, double *y, int n)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double held[16], mine[4], own[4], all[16] = {x[0], x[1]}, from_each[16], of_all[16];
    for (int i = 0; i < size * n; ++i) held[i] = x[i] * x[i];
    for (int i = 0; i < n; ++i) own[i] = x[i] * x[i + 1];
    MPI_Request r[4];
    MPI_Iscatter(held, n, MPI_DOUBLE, mine, n, MPI_DOUBLE, size - 1, MPI_COMM_WORLD, &r[0]);
    MPI_Igather(own, n, MPI_DOUBLE, all, n, MPI_DOUBLE, 0, MPI_COMM_WORLD, &r[1]);
    MPI_Ialltoall(held, n, MPI_DOUBLE, from_each, n, MPI_DOUBLE, MPI_COMM_WORLD, &r[2]);
    MPI_Iallgather(own, n, MPI_DOUBLE, of_all, n, MPI_DOUBLE, MPI_COMM_WORLD, &r[3]);
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    for (int i = 0; i < size * n; ++i) {
        y[i] = mine[i % n] * from_each[i] + of_all[i] * of_all[i] + (rank == 0 ? all[i] * own[0] : all[0]);
    }
}

void unequal_blocks(const double *x, double *y, int n)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double held[16], mine[4], got[16] = {x[1]}, of_all[16] = {x[2]}, swapped[16] = {x[3]};
    int counts[4], places[4], to[4], from[4], at_to[4], at_from[4];
    int total = 0, sum_to = 0, sum_from = 0;
    for (int k = 0; k < size; ++k) {
        counts[k] = k + 1;
        places[k] = total + k % 2;
        total = places[k] + counts[k];
        to[k] = 1 + (rank + k) % 2;
        from[k] = 1 + (rank + k) % 2;
        at_to[k] = sum_to;
        at_from[k] = sum_from;
        sum_to += to[k];
        sum_from += from[k];
    }
    for (int i = 0; i < 16; ++i) held[i] = x[i] * x[i];
    MPI_Request r[4];
    MPI_Iscatterv(held, counts, places, MPI_DOUBLE, mine, rank + 1, MPI_DOUBLE, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Igatherv(mine, rank + 1, MPI_DOUBLE, got, counts, places, MPI_DOUBLE, 0, MPI_COMM_WORLD, &r[1]);
    MPI_Iallgatherv(mine, rank + 1, MPI_DOUBLE, of_all, counts, places, MPI_DOUBLE, MPI_COMM_WORLD, &r[2]);
    MPI_Ialltoallv(held, to, at_to, MPI_DOUBLE, swapped, from, at_from, MPI_DOUBLE, MPI_COMM_WORLD, &r[3]);
    MPI_Waitall(3, r + 1, MPI_STATUSES_IGNORE);
    for (int k = 0; k < size; ++k) counts[k] = places[k] = to[k] = -1;
    y[0] = got[0] * mine[0];
    for (int k = 0; k < sum_from; ++k) y[k + 1] = swapped[k] * swapped[k] * mine[0];
    for (int k = 0; k < size; ++k) y[12 + k] = of_all[k] * of_all[k + 1];
}

void reduce_scattered(const double *x, double *y, int n)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double held[16], block[4] = {0}, part[4] = {0};
    int counts[4];
    for (int k = 0; k < size; ++k) counts[k] = k + 1;
    for (int i = 0; i < 16; ++i) held[i] = x[i] * x[i];
    MPI_Request r[2];
    MPI_Ireduce_scatter_block(held, block, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r[0]);
    MPI_Ireduce_scatter(held, part, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    for (int i = 0; i < n; ++i) y[i] = block[i] * block[i] + part[i] * x[i];
}

void in_place(const double *x, double *y, int n)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double held[16], all[16];
    for (int i = 0; i < 16; ++i) {
        held[i] = x[i] * x[i];
        all[i] = x[i] * (rank + 1);
    }
    MPI_Request r[2];
    for (int k = 0; k < 2; ++k) {
        MPI_Iallreduce(MPI_IN_PLACE, held, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r[0]);
        MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, n, MPI_DOUBLE, MPI_COMM_WORLD, &r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        for (int i = 0; i < size * n; ++i) {
            held[i] = 0.1 * held[i] * held[i];
            all[i] = all[i] * held[i % n];
        }
    }
    for (int i = 0; i < size * n; ++i) y[i] = all[i] + held[i] * held[0];
}

// All ranks start in one order; each waits in another, and uses what has come before it waits for the rest.
void order(const double *x, double *y, int n)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double a[3], sum[3], other = x[5] * x[5], total = 0;
    MPI_Request r[3];
    for (int k = 0; k < 3; ++k) {
        a[k] = x[k] * x[k + 1];
        MPI_Iallreduce(&a[k], &sum[k], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r[k]);
    }
    for (int k = 0; k < 3; ++k) {
        int which = (rank + 2 * k) % 3;
        MPI_Wait(&r[which], MPI_STATUS_IGNORE);
        y[which] = sum[which] * sum[which] * other;
        other = other * sum[which];
        if (k == (rank == 1)) MPI_Allreduce(&other, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    y[3] = other * total;
}

// Messages that one rank sends while the operation is on its way, and another before it has started: neither it nor its
// adjoint may wait where it starts.
void between(const double *x, double *y, int n)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double part = x[0] * x[0], got = 1, best, sum, product, sent = x[1] * x[1];
    MPI_Request r[3];
    if (rank == 1) MPI_Recv(&got, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Iallreduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r[0]);
    MPI_Iallreduce(&part, &best, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD, &r[1]);
    MPI_Iscan(&part, &product, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r[2]);
    if (rank == 0) MPI_Ssend(&sent, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    if (rank == 2) {
        MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
        sent = sent * sum;
        MPI_Ssend(&sent, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    }
    if (rank == 1) MPI_Recv(&sent, 1, MPI_DOUBLE, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank < 2) MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
    y[0] = got * sum * best * product * sent;
}

__global__ void squares(double *part, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) part[i] = x[i] * x[i];
}

__global__ void scaled(double *x, const double *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] + 0.1 * x[i] * sum[i % 4];
}

// A kernel works while a sum of device memory is on its way.
void overlap(const double *x, double *y, int n)
{
    double *u, *part, *sum;
    cudaMalloc(&u, 16 * sizeof(double));
    cudaMalloc(&part, 16 * sizeof(double));
    cudaMalloc(&sum, n * sizeof(double));
    cudaMemcpy(u, x, 16 * sizeof(double), cudaMemcpyHostToDevice);
    for (int step = 0; step < 3; ++step) {
        MPI_Request r;
        squares<<<1, 32>>>(part, u, n);
        cudaDeviceSynchronize();
        MPI_Iallreduce(part, sum, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r);
        squares<<<1, 32>>>(part + n, u + n, 16 - n);
        cudaMemcpy(u + n, part + n, (16 - n) * sizeof(double), cudaMemcpyDeviceToDevice);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        scaled<<<1, 32>>>(u, sum, 16);
    }
    cudaMemcpy(y, u, 16 * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(u);
    cudaFree(part);
    cudaFree(sum);
}

// On one rank they may be done as soon as they start.
void alone(const double *x, double *y, int n)
{
    double a[2] = {x[0] * x[0], x[1] * x[2]}, b = x[3], sum[3], between;
    MPI_Request r[4];
    MPI_Iallreduce(&a[0], &sum[0], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF, &r[0]);
    MPI_Iallreduce(&a[1], &sum[1], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF, &r[1]);
    MPI_Irecv(&sum[2], 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &r[2]);
    MPI_Isend(&b, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &r[3]);
    MPI_Wait(&r[3], MPI_STATUS_IGNORE);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    between = sum[0] * sum[0];
    MPI_Wait(&r[2], MPI_STATUS_IGNORE);
    y[0] = between * sum[2] * sum[2];
    MPI_Wait(&r[1], MPI_STATUS_IGNORE);
    y[1] = sum[1] * sum[1] * sum[2] * between;
}

__global__ void by_square(double *y, const double *x, double factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * factor * factor;
}

// The sum goes to a kernel by value, as does what was summed while that is on its way.
void sum_to_kernel(const double *x, double *y, int n)
{
    double *u, *v, part = x[0] * x[1], factor = x[2];
    cudaMalloc(&u, n * sizeof(double));
    cudaMalloc(&v, n * sizeof(double));
    cudaMemcpy(u, x, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int k = 0; k < 2; ++k) {
        MPI_Request r;
        by_square<<<1, 32>>>(v, u, factor, n);
        MPI_Iallreduce(&part, &factor, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r);
        by_square<<<1, 32>>>(u, v, part, n);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        by_square<<<1, 32>>>(v, u, factor, n);
        by_square<<<1, 32>>>(u, v, part, n);
        part = part * factor * 0.1;
    }
    cudaMemcpy(y, u, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(u);
    cudaFree(v);
}

void in_float(const double *x, double *y, int n)
{
    float held[4], sum[4], best[4], product[4];
    MPI_Request r[3];
    for (int i = 0; i < n; ++i) held[i] = (float)(x[i] * x[i + 1]);
    MPI_Iallreduce(held, sum, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &r[0]);
    MPI_Iallreduce(held, best, n, MPI_FLOAT, MPI_MIN, MPI_COMM_WORLD, &r[1]);
    MPI_Iallreduce(held, product, n, MPI_FLOAT, MPI_PROD, MPI_COMM_WORLD, &r[2]);
    MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
    for (int i = 0; i < n; ++i) y[i] = sum[i] * best[i] + product[i] * x[i];
}

// To one rank, of others than sums; in place there, and of device memory.
void reduced(const double *x, double *y, int n)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double held[4], best[4] = {x[4], x[5], x[6], x[7]}, *part, *most;
    MPI_Request r[3];
    for (int i = 0; i < n; ++i) held[i] = x[i] * x[i + 1];
    cudaMalloc(&part, n * sizeof(double));
    cudaMalloc(&most, n * sizeof(double));
    cudaMemcpy(part, x, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(most, x + n, n * sizeof(double), cudaMemcpyHostToDevice);
    MPI_Ireduce(held, best, n, MPI_DOUBLE, MPI_MAX, 1, MPI_COMM_WORLD, &r[0]);
    MPI_Ireduce(part, most, n, MPI_DOUBLE, MPI_PROD, 0, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Ireduce(rank == 2 ? MPI_IN_PLACE : held, held, n, MPI_DOUBLE, MPI_MIN, 2, MPI_COMM_WORLD, &r[2]);
    MPI_Wait(&r[2], MPI_STATUS_IGNORE);
    cudaMemcpy(y + n, most, n * sizeof(double), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i) y[i] = best[i] * best[i] * held[i];
    cudaFree(part);
    cudaFree(most);
}
