/*---
function = "weighted"
wrt = ["a", "b", "x"]
of = ["y"]
[inputs]
y = { shape = [100], random = 1 }
x = { shape = [100], random = 2 }
a = 0.7
b = -0.4
n = 100
---*/
// Host arithmetic between a parameter and a launch, with a scalar that changes in a loop of launches.
__global__ void add(double *y, const double *x, double factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += factor * x[i] * y[i];
}

void weighted(double *y, const double *x, double a, double b, int n)
{
    double factor = a * a + exp(b);
    for (int k = 0; k < 3; k++) {
        add<<<(n + 31) / 32, 32>>>(y, x, factor, n);
        factor = 0.5 * factor * factor + b;
    }
}
