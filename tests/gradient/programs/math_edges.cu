/*---
function = "edges"
wrt = ["x", "z"]
of = ["y"]
reference = { x = "np.zeros(8)", z = "2 * z * adj_y" }
[launch]
grid = 1
block = 8
[inputs]
y = { zeros = [8] }
x = { zeros = [8] }
z = { shape = [8], random = 1 }
[gradcheck]
atol = 1e-5
---*/
// A zero adjoint times an infinite slope is zero: roots and logarithms at the rim of their domain that do not count.
__global__ void edges(double *y, const double *x, const double *z)
{
    int i = threadIdx.x;
    double unused = sqrt(fabs(x[i])) + log(x[i] + 1.0);
    double chosen = x[i] > 0.5 ? sqrt(x[i]) * unused : z[i];
    double masked = 0.0 * x[i] * x[i];
    y[i] = chosen * z[i] + masked * sqrt(x[i] * x[i] + 1.0);
}
