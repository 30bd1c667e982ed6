/*---
function = "series"
wrt = ["x"]
of = ["y"]
reference = { x = "adj_y * (0.5 + 2 * 0.25 * x + 3 * 0.125 * x**2)" }
[launch]
grid = 1
block = 10
[inputs]
y = { zeros = [10] }
x = { shape = [10], random = 1 }
---*/
// Coefficients in constant memory.
__constant__ double coefficients[4] = {1.0, 0.5, 0.25, 0.125};

__global__ void series(double *y, const double *x)
{
    double sum = 0.0;
    for (int k = 3; k >= 0; k--)
        sum = sum * x[threadIdx.x] + coefficients[k];
    y[threadIdx.x] = sum;
}
