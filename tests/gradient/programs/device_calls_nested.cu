/*---
function = "evaluate"
wrt = ["x", "p"]
of = ["y"]
[launch]
grid = 2
block = 12
[inputs]
y = { zeros = [20] }
x = { shape = [20], random_uniform = 1, low = 0.2, high = 1.5 }
p = { shape = [4], random = 2 }
n = 20
---*/
// Device functions that call others in loops and conditions, three deep, with a pointer handed through and called twice.
__device__ double horner(const double *p, double v, int degree)
{
    double sum = p[degree];
    for (int k = degree - 1; k >= 0; k--)
        sum = sum * v + p[k];
    return sum;
}

__device__ double ratio(const double *p, double v)
{
    double below = 1.0 + horner(p + 2, v, 1) * horner(p + 2, v, 1);
    return horner(p, v, 3) / below;
}

__device__ double root(const double *p, double v)
{
    for (int k = 0; k < 3; k++) {
        if (ratio(p, v) > 5.0)
            break;
        v = 0.7 * v + 0.2 * ratio(p, v) * (v > 0.5 ? ratio(p, 0.5 * v) : 1.0);
    }
    return v;
}

__global__ void evaluate(double *y, const double *x, const double *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = root(p, x[i]) * root(p, ratio(p, x[i]));
}
