/*---
function = "mixed"
wrt = ["x", "y", "a"]
of = ["z"]
[launch]
grid = 1
block = 30
[inputs]
z = { zeros = [30] }
x = { shape = [30], random = 1 }
y = { shape = [30], random = 2 }
a = 0.7
---*/
// float and double in one expression: each adjoint has the precision of its variable.
__global__ void mixed(double *z, const float *x, const double *y, float a)
{
    int i = threadIdx.x;
    double d = x[i];
    float f = (float)(d * y[i]) + a * x[i];
    z[i] = f * d + sinf(a) * y[i];
}
