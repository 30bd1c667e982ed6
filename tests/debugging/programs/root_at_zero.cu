/*---
function = "distances"
wrt = ["x", "y"]
of = ["d"]
launch = { grid = 2, block = 8 }
breaks = "adjoint"
thread = 6
[right.inputs]
x = { shape = [10], random = 6 }
[inputs]
d = { zeros = [10] }
x = { values = [1.0, 2.0, -1.0, 0.5, 0.7, 1.1, 0.0, 2.0, 3.0, 1.0] }
y = { values = [0.3, 2.0, -1.0, 0.5, 0.7, 1.1, 0.0, 2.0, 3.0, 1.0] }
n = 10
---*/
// The length of a vector that is zero: an infinite slope times zero, so the gradient is nan there.
__global__ void distances(double *d, const double *x, const double *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        d[i] = sqrt(x[i] * x[i] + y[i] * y[i]); // breaks
}
