/*---
wrt = ["x", "a"]
of = ["y"]
[inputs]
y = { shape = [40], random_uniform = 1, low = 0.3, high = 1.7 }
x = { shape = [40], random_uniform = 2, low = 0.3, high = 1.7 }
a = 0.7

[[cases]]
name = "all_threads_the_same"
function = "all_threads_the_same"

[[cases]]
name = "all_blocks_the_same"
function = "all_blocks_the_same"

[[cases]]
name = "rows_the_same"
function = "rows_the_same"
---*/
// Threads that do what others do too: the value that all of them store counts once.
__global__ void first(double *y, const double *x, double a)
{
    y[0] = a * sin(x[0]) * x[3];
}

void all_threads_the_same(double *y, const double *x, double a)
{
    first<<<4, 32>>>(y, x, a);
}

__global__ void in_block(double *y, const double *x, double a)
{
    int i = threadIdx.x;
    y[i] = sin(a * x[i]) * x[i + 1];
}

void all_blocks_the_same(double *y, const double *x, double a)
{
    in_block<<<3, 8>>>(y, x, a);
}

__global__ void columns(double *y, const double *x, double a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = a * cos(x[i]) + x[2 * i % 5];
}

void rows_the_same(double *y, const double *x, double a)
{
    columns<<<dim3(2, 3), dim3(7, 2)>>>(y, x, a);
}
