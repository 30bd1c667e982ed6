/*---
function = "polar"
wrt = ["x", "y"]
of = ["x", "y"]
[launch]
grid = 1
block = 24
[inputs]
x = { shape = [24], random_uniform = 1, low = 0.5, high = 2.0 }
y = { shape = [24], random_uniform = 2, low = 0.5, high = 2.0 }
---*/
// A device function that returns through pointers: into locals, and straight into the arrays.
__device__ void to_polar(double x, double y, double *radius, double *angle)
{
    *radius = sqrt(x * x + y * y);
    *angle = atan2(y, x);
}

__global__ void polar(double *x, double *y)
{
    double r, phi;
    int i = threadIdx.x;
    to_polar(x[i], y[i], &r, &phi);
    to_polar(r, phi, &x[i], y + i);
}
