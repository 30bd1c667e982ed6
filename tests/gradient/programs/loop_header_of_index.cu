/*---
wrt = ["x", "y"]
of = ["y"]
[launch]
grid = 3
block = 8
[inputs]
y = { shape = [64], random_uniform = 1, low = 0.3, high = 1.7 }
x = { shape = [64], random_uniform = 2, low = 0.3, high = 1.7 }
n = 21

[[cases]]
name = "start"
function = "start"

[[cases]]
name = "bound"
function = "bound"

[[cases]]
name = "step"
function = "step"
---*/
// Loop headers that mention the index itself: they cannot be evaluated again when the loop runs backwards.
__global__ void start(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int j = 2;
    double s = x[i];
    for (j = j + 1; j < 9; j++)
        s = sin(s) + j * x[j];
    y[i] = s;
}

__global__ void bound(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double s = x[i];
    for (int j = 0; j < 10 - j; j++)
        s = sin(s) + j * x[j];
    y[i] = s;
}

__global__ void step(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double s = x[i];
    for (int j = 1; j < n; j += j)
        s = sin(s) + x[j];
    y[i] = s;
}
