/*---
wrt = ["x"]
of = ["y"]
launch = { grid = [2], block = [96] }
[inputs]
y = { zeros = [192] }
x = { shape = [192], random = 1 }
cell = { shape = [192], random = 2, low = 0, high = 5 }
m = 3

[[cases]]
function = "where_memory_says"
[[cases]]
function = "in_a_loop"
[[cases]]
function = "cells_that_memory_names"
[[cases]]
function = "flags"
[[cases]]
function = "by_pointer"
[[cases]]
function = "structs"
---*/
// Threads of several warps, but not all of the block, store one value to one shared cell whose old value the derivative
// needs: a thread that comes late finds the new value.
__global__ void where_memory_says(double *y, const double *x, const int *cell, int m)
{
    __shared__ double s;
    int i = blockIdx.x * 96 + threadIdx.x;
    s = x[blockIdx.x * 96];
    __syncthreads();
    double before = sin(s * x[i]);
    __syncthreads();
    if (cell[i] > 1)
        s = x[blockIdx.x * 96 + m] * x[m];
    __syncthreads();
    y[i] = s * s * before;
}

__global__ void in_a_loop(double *y, const double *x, const int *cell, int m)
{
    __shared__ double s;
    int i = blockIdx.x * 96 + threadIdx.x;
    double sum = 0;
    s = 0.5;
    __syncthreads();
    for (int j = 0; j < m; j++) {
        if (cell[i] != j)
            s = x[blockIdx.x * 96 + j];
        __syncthreads();
        sum += s * s * x[i];
        __syncthreads();
    }
    y[i] = sum;
}

__global__ void cells_that_memory_names(double *y, const double *x, const int *cell, int m)
{
    __shared__ double s[5];
    int i = blockIdx.x * 96 + threadIdx.x;
    if (threadIdx.x < 5)
        s[threadIdx.x] = x[i];
    __syncthreads();
    double sum = 0;
    for (int j = 0; j < m; j++) {
        sum += sin(s[(j + threadIdx.x) % 5] * x[i]);
        __syncthreads();
        if (x[i] > 0)
            s[cell[i]] = x[blockIdx.x * 96 + cell[i]] * (j + 2);
        __syncthreads();
    }
    y[i] = sum;
}

__global__ void flags(double *y, const double *x, const int *cell, int m)
{
    __shared__ int found;
    int i = blockIdx.x * 96 + threadIdx.x;
    double v = x[i];
    if (threadIdx.x == 0)
        found = 0;
    __syncthreads();
    for (int j = 0; j < m; j++) {
        if (cell[i] == j + 1)
            found = j + 1;
        __syncthreads();
        if (found > 0)
            v = v * v + 0.1 * found;
        __syncthreads();
    }
    y[i] = v;
}

__global__ void by_pointer(double *y, const double *x, const int *cell, int m)
{
    __shared__ double s[2][3];
    int i = blockIdx.x * 96 + threadIdx.x;
    double *row = s[cell[i] % 2];
    for (int k = threadIdx.x; k < 6; k += 96)
        s[k / 3][k % 3] = x[blockIdx.x * 96 + k];
    __syncthreads();
    double sum = sin(row[m - 1] * x[i]);
    __syncthreads();
    if (x[i] > 0)
        row[m - 1] = x[blockIdx.x * 96 + 7 + cell[i] % 2];
    __syncthreads();
    y[i] = sum * s[0][2] * s[1][2];
}

struct pair {
    double a;
    int b;
    double c;
};

__global__ void structs(double *y, const double *x, const int *cell, int m)
{
    __shared__ struct pair s[2];
    int i = blockIdx.x * 96 + threadIdx.x;
    struct pair mine;
    mine.a = x[blockIdx.x * 96 + m];
    mine.b = m;
    mine.c = x[m] * x[m];
    if (threadIdx.x < 2)
        s[threadIdx.x] = mine;
    __syncthreads();
    double sum = s[0].a * s[1].c * x[i];
    __syncthreads();
    mine.a = x[blockIdx.x * 96 + m + 1] * mine.c;
    if (cell[i] > 0)
        s[cell[i] % 2] = mine;
    __syncthreads();
    y[i] = sum * s[0].a * s[1].c + s[0].b;
}
