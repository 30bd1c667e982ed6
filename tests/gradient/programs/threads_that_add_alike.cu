/*---
wrt = ["x", "a"]
of = ["y"]
[inputs]
y = { shape = [24], random_uniform = 1, low = 0.3, high = 1.7 }
x = { shape = [24], random_uniform = 2, low = 0.3, high = 1.7 }
at = { shape = [24], random = 3, low = 0, high = 24 }
a = 0.7
n = 19

[[cases]]
name = "rows"
function = "rows"

[[cases]]
name = "blocks"
function = "blocks"

[[cases]]
name = "threads_of_a_block"
function = "threads_of_a_block"

[[cases]]
name = "layers"
function = "layers"

[[cases]]
name = "all"
function = "all"

[[cases]]
name = "rows_that_count"
function = "rows_that_count"

[[cases]]
name = "no_rows"
function = "no_rows"
---*/
// Threads that differ along an axis of which their kernel says nothing add as often as they are.
__global__ void by_thread(double *y, const double *x, const int *at, double a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&y[i], sin(a * x[i]) * x[at[i]]);
}

void rows(double *y, const double *x, const int *at, double a, int n)
{
    by_thread<<<dim3(4, 2), dim3(6, 3)>>>(y, x, at, a, n);
}

void layers(double *y, const double *x, const int *at, double a, int n)
{
    by_thread<<<dim3(5, 1, 3), 4>>>(y, x, at, a, n);
}

void no_rows(double *y, const double *x, const int *at, double a, int n)
{
    by_thread<<<dim3(4, n > 100), dim3(6, 3)>>>(y, x, at, a, n);
}

__global__ void by_position(double *y, const double *x, const int *at, double a, int n)
{
    int i = threadIdx.x;
    if (i < n)
        atomicAdd(&y[at[i]], a * x[i] * x[at[n - 1 - i]]);
}

void blocks(double *y, const double *x, const int *at, double a, int n)
{
    by_position<<<3, 24>>>(y, x, at, a, n);
}

__global__ void by_block(double *y, const double *x, const int *at, double a, int n)
{
    int i = blockIdx.x;
    if (i < n)
        atomicAdd(&y[at[i]], a * x[i] * x[at[n - 1 - i]]);
}

void threads_of_a_block(double *y, const double *x, const int *at, double a, int n)
{
    by_block<<<20, 4>>>(y, x, at, a, n);
}

__global__ void nowhere(double *y, const double *x, const int *at, double a, int n)
{
    atomicAdd(&y[at[2]], cos(a * x[at[0]]) * x[at[1]]);
}

void all(double *y, const double *x, const int *at, double a, int n)
{
    nowhere<<<dim3(2, 3), dim3(4, 2)>>>(y, x, at, a, n);
}

__global__ void by_row(double *y, const double *x, const int *at, double a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&y[i], x[at[i]] * (a + threadIdx.y) / (1 + blockIdx.y));
}

void rows_that_count(double *y, const double *x, const int *at, double a, int n)
{
    by_row<<<dim3(4, 2, 2), dim3(6, 3)>>>(y, x, at, a, n);
}
