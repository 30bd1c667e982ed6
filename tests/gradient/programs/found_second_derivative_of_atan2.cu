/*---
function = "angles"
wrt = ["x"]
of = ["y"]
[launch]
grid = 2
block = 4
[inputs]
y = { shape = [7], random = 1 }
x = { shape = [7], random = 2 }
n = 7
---*/
// Angles of vectors along an axis: one part is exactly zero in the first thread, where second derivatives are finite.
__global__ void angles(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double along = atan2(-(0.3 * i), 1.5 + x[i] * x[i]);
        y[i] += tanh(along) * x[i] + atan2(x[i] + 3.0, 0.2 * i);
    }
}
