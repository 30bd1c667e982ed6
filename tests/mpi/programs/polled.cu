/*---
wrt = ["x"]
of = ["y"]
[inputs]
x = { shape = [12], random = 1 }
y = { shape = [12], random = 2 }
n = 4
[[cases]]
name = "some"
function = "some"
[[cases]]
name = "tested"
function = "tested"
[[cases]]
name = "tested-some"
function = "tested_some"
[[cases]]
name = "along-one-way"
function = "along_one_way"
[[cases]]
name = "probed"
function = "probed"
[[cases]]
name = "probed-again"
function = "probed_again"
---*/
// Requests of which some are done, and messages that are looked at before they are received.
#include <mpi.h>

// All receives are worked off as they come, until none is left.
void some(const double *x, double *y, int n)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double got[8], sent[8], sum = 1;
    MPI_Request in[4], out[4];
    for (int r = 0; r < size; ++r) {
        sent[2 * r] = x[r] * x[r + 1];
        sent[2 * r + 1] = x[r];
        MPI_Irecv(got + 2 * r, 2, MPI_DOUBLE, r, 0, MPI_COMM_WORLD, &in[r]);
        MPI_Isend(sent + 2 * r, 2, MPI_DOUBLE, r, 0, MPI_COMM_WORLD, &out[r]);
    }
    int many = 0, which[4], left = size;
    while (left > 0) {
        MPI_Status status[4];
        MPI_Waitsome(size, in, &many, which, status);
        for (int k = 0; k < many; ++k) {
            int r = which[k];
            y[r] = got[2 * r] * got[2 * r + 1] * x[status[k].MPI_SOURCE];
        }
        left -= many;
    }
    MPI_Waitsome(size, in, &many, which, MPI_STATUSES_IGNORE);
    if (many == MPI_UNDEFINED) sum = sum * x[5];
    MPI_Waitall(size, out, MPI_STATUSES_IGNORE);
    y[4] = sum * y[0];
}

void tested(const double *x, double *y, int n)
{
    int rank, size, left = 2, which, done;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double a = x[0] * x[1], b = x[2], got[2];
    MPI_Request r[4];
    MPI_Irecv(&got[0], 1, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(&got[1], 1, MPI_DOUBLE, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &r[1]);
    MPI_Isend(&a, 1, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &r[2]);
    MPI_Isend(&b, 1, MPI_DOUBLE, (rank + 1) % size, 1, MPI_COMM_WORLD, &r[3]);
    for (int polls = 0; left > 0; ++polls) {
        MPI_Testany(4, r, &which, &done, MPI_STATUS_IGNORE);
        if (done && which != MPI_UNDEFINED && which < 2) {
            y[which] = got[which] * got[which] * x[which];
            --left;
        }
    }
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    MPI_Testany(4, r, &which, &done, MPI_STATUS_IGNORE);
    if (done && which == MPI_UNDEFINED) y[2] = y[0] * y[1];
}

void tested_some(const double *x, double *y, int n)
{
    int rank, size, left = 3;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double a[2] = {x[0] * x[1], x[2]}, sum, got[2];
    MPI_Request r[5];
    MPI_Irecv(&got[0], 1, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(&got[1], 1, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD, &r[1]);
    MPI_Iallreduce(&a[1], &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r[2]);
    MPI_Isend(&a[0], 1, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &r[3]);
    got[0] = x[3] * x[3];
    while (left > 0) {
        int which[4], many;
        MPI_Testsome(3, r, &many, which, MPI_STATUSES_IGNORE);
        for (int k = 0; k < many; ++k) {
            --left;
            if (which[k] == 1) y[1] = got[1] * got[1];
            if (which[k] == 2) y[2] = sum * sum * x[4];
        }
    }
    MPI_Wait(&r[3], MPI_STATUS_IGNORE);
    y[0] = got[0] * got[1] * sum;
}

// Messages along one way do not overtake each other, in whichever order they are found to be done.
void along_one_way(const double *x, double *y, int n)
{
    int rank, size, left = 3;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double a[3], got[3];
    MPI_Request in[3], out[3];
    for (int step = 0; step < 2; ++step) {
        for (int k = 0; k < 3; ++k) {
            a[k] = x[k + step] * x[k + 1];
            MPI_Irecv(&got[k], 1, MPI_DOUBLE, (rank + 1) % size, 7, MPI_COMM_WORLD, &in[2 - k]);
            MPI_Isend(&a[k], 1, MPI_DOUBLE, (rank + size - 1) % size, 7, MPI_COMM_WORLD, &out[k]);
        }
        left = 3;
        while (left > 0) {
            int which[3], many;
            MPI_Waitsome(3, in, &many, which, MPI_STATUSES_IGNORE);
            for (int k = 0; k < many; ++k) y[3 * step + which[k]] = got[2 - which[k]] * got[2 - which[k]];
            left -= many;
        }
        MPI_Waitall(3, out, MPI_STATUSES_IGNORE);
    }
}

// The receiver asks who has sent, and how much, before it makes room.
void probed(const double *x, double *y, int n)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 12; ++i) y[i] = x[i];
    if (rank > 0) {
        double sent[4];
        for (int i = 0; i < rank + 1; ++i) sent[i] = x[i] * x[i + 1];
        MPI_Send(sent, rank + 1, MPI_DOUBLE, 0, rank, MPI_COMM_WORLD);
        return;
    }
    for (int k = 1; k < size; ++k) {
        MPI_Status status;
        int length;
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_DOUBLE, &length);
        double *got = (double *)malloc(length * sizeof(double));
        MPI_Recv(got, length, MPI_DOUBLE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < length; ++i) y[4 * (status.MPI_SOURCE - 1) + i] = got[i] * got[i] * x[status.MPI_TAG];
        free(got);
    }
}

void probed_again(const double *x, double *y, int n)
{
    int rank, size, there = 0, length = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double sent[2], got[4] = {x[6], x[7], x[8], x[9]}, total = x[0];
    for (int step = 0; step < 3; ++step) {
        MPI_Status status;
        MPI_Request r;
        sent[0] = total * x[step];
        sent[1] = x[step + 1];
        MPI_Isend(sent, 1 + (rank + step) % 2, MPI_DOUBLE, (rank + 1) % size, step, MPI_COMM_WORLD, &r);
        for (there = 0; !there;) {
            MPI_Iprobe((rank + size - 1) % size, step, MPI_COMM_WORLD, &there, &status);
        }
        MPI_Get_count(&status, MPI_DOUBLE, &length);
        MPI_Recv(got + step, length, MPI_DOUBLE, status.MPI_SOURCE, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        total = total + got[step] * got[step + 1] * length;
        y[step] = total;
    }
}
