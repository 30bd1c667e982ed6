/*---
function = "steps"
wrt = ["x", "y"]
of = ["z"]
reference = { x = "adj_z * (2 * x * y + np.trunc(x * 10))", y = "adj_z * x**2" }
[launch]
grid = 1
block = 30
[inputs]
z = { zeros = [30] }
x = { shape = [30], random = 1 }
y = { shape = [30], random = 2 }
---*/
// A cast to int ends the derivative.
__global__ void steps(double *z, const double *x, const double *y)
{
    int i = threadIdx.x;
    int tenths = (int)(x[i] * 10.0);
    z[i] = x[i] * x[i] * y[i] + tenths * x[i];
}
