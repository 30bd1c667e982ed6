/*---
wrt = ["x"]
of = ["y"]
launch = { grid = [3], block = [32] }
[inputs]
y = { zeros = [60] }
x = { shape = [64], random = 1 }
m = 41
k = 7
bound = { values = [37] }

[[cases]]
function = "converted"
[[cases]]
function = "difference"
[[cases]]
function = "loaded"
[[cases]]
name = "loaded_negative"
function = "loaded"
inputs = { bound = { values = [-1] } }
---*/
// Bounds that are converted to unsigned numbers: a negative one lets all threads pass.
__global__ void converted(double *y, const double *x, const int *bound, int m, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < (unsigned)m && i < 60)
        y[i] = x[i] * x[i + 1] + x[i + 2];
}

__global__ void difference(double *y, const double *x, const int *bound, int m, int k)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m - k && i < 60)
        y[i] = x[i] * x[i + 1] + x[i + 2];
}

__global__ void loaded(double *y, const double *x, const int *bound, int m, int k)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < *bound && i < 60)
        y[i] = x[i] * x[i + 1] + x[i + 2];
}
