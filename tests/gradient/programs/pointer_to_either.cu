/*---
wrt = ["x"]
of = ["y"]
[launch]
grid = 3
block = 8
[inputs]
y = { shape = [64], random_uniform = 1, low = 0.3, high = 1.7 }
x = { shape = [64], random_uniform = 2, low = 0.3, high = 1.7 }
z = { shape = [64], random_uniform = 3, low = 0.3, high = 1.7 }
n = 21

[[cases]]
name = "read"
function = "read_either"

[[cases]]
name = "written"
function = "write_either"
---*/
// A pointer that reaches an array with a gradient or one without.
__global__ void read_either(double *y, const double *x, const double *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const double *p = i % 2 ? x : z;
    y[i] = p[i] * p[0] * z[1];
}

__global__ void write_either(double *y, const double *x, double *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double *p = i % 2 ? y : z;
    p[i] = x[i] * x[i];
    y[i + 32] = x[i];
}
