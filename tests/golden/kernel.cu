/*---
function = "scale"
wrt = ["x", "a"]
of = ["y"]
[launch]
grid = 2
block = 32
[inputs]
y = { shape = [50], random = 1 }
x = { shape = [50], random = 2 }
a = 1.5
n = 50
---*/
// A kernel by itself, with a scalar whose adjoint is a sum over all threads.
__global__ void scale(double *y, const double *x, double a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i];
}
