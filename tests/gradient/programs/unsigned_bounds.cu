/*---
function = "run"
wrt = ["x"]
of = ["y"]
[inputs]
y = { shape = [24], random = 1 }
x = { shape = [24], random = 2 }
n = 1

[[cases]]
name = "a_bound_below_zero"

[[cases]]
name = "an_empty_interior"
inputs = { n = 2 }

[[cases]]
name = "no_cells"
inputs = { n = 0 }

[[cases]]
name = "an_interior"
inputs = { n = 19 }
---*/
// Comparisons of unsigned numbers with bounds below zero, which then are very large ones: other guards keep the threads
// out, before, behind or beside them.
__global__ void beside(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if ((unsigned)(i - 1) < (unsigned)(n - 2) && i < n)
        y[i] += x[i - 1] * x[i + 1];
}

__global__ void before(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    if ((unsigned)(i - 1) < (unsigned)(n - 2))
        y[i] += x[i - 1] * sin(x[i + 1]);
}

__global__ void border(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        if ((unsigned)(i - 1) >= (unsigned)(n - 2))
            y[i] += x[i] * x[i];
        else
            y[i] += x[i - 1] * x[i + 1];
    }
}

void run(double *y, const double *x, int n)
{
    beside<<<3, 8>>>(y, x, n);
    before<<<3, 8>>>(y, x, n);
    border<<<3, 8>>>(y, x, n);
}
