/*---
function = "clipped"
wrt = ["x"]
of = ["y"]
launch = { grid = 1, block = 16 }
breaks = "branch"
thread = 4
[right.inputs]
x = { shape = [10], random = 14 }
[inputs]
y = { zeros = [10] }
x = { values = [0.5, -1.0, 0.3, 2.0, 0.0, 1.0, -0.4, 1.2, 0.8, 0.1] }
n = 10
---*/
// A choice between what is there and what is not, at the border.
__global__ void clipped(double *y, const double *x, int n)
{
    int i = threadIdx.x;
    double own = i < n ? x[i] : 0.0;
    double slope = own * own + 0.5;
    double value = own > 0.0 ? own : 0.1 * own * slope; // breaks
    if (i < n)
        y[i] = value * value + value;
}
