/*---
function = "rectify"
wrt = ["x"]
of = ["y"]
launch = { grid = 2, block = 16 }
breaks = "kink"
thread = 19
[right.inputs]
x = { shape = [24], random = 5 }
[inputs]
y = { zeros = [24] }
x = { values = [1.5, -2.0, 0.5, 1.0, -1.0, 2.0, 3.0, 0.25, -0.5, 1.0, 1.0, 1.0, 1.0, -1.0, 1.0, 2.0, 1.0, 4.0, 1.0, 0.0, 1.0, -3.0, 1.0, 1.0] }
n = 24
---*/
// fmax where both arguments are the same.
__global__ void rectify(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double leaky = fmax(x[i], 0.1 * x[i]); // breaks
        y[i] = leaky * leaky + leaky;
    }
}
