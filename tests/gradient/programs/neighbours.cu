/*---
function = "products"
wrt = ["x"]
of = ["y"]
[launch]
grid = 3
block = 32
[inputs]
y = { zeros = [80] }
x = { shape = [81], random = 1 }
n = 80
---*/
// Neighbouring threads read the same cell, so in reverse they add to the same adjoint.
__global__ void products(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    y[i] = x[i] * x[i + 1];
}
