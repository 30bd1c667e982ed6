/*---
function = "squash"
wrt = ["x", "a"]
of = ["y"]
launch = { grid = 2, block = 32 }
breaks = "slope"
[rules.softsign.partials]
x = "1 / (1 + fabs(x))"
[right.rules.softsign.partials]
x = "1 / ((1 + fabs(x)) * (1 + fabs(x)))"
[inputs]
y = { zeros = [50] }
x = { shape = [50], random = 1 }
a = 1.5
n = 50
---*/
// A rule by a formula that forgets the square: tangent and adjoint agree, differences do not.
__device__ double softsign(double x) { return x / (1 + fabs(x)); }

__global__ void squash(double *y, const double *x, double a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 2.0 + softsign(a * x[i]) * a; // breaks
}
