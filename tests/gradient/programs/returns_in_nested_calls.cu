/*---
function = "sums"
wrt = ["x", "y"]
of = ["y"]
[launch]
grid = 2
block = 4
[inputs]
y = { shape = [6], random = 80 }
x = { shape = [6], random = 79 }
n = 6
---*/
// A device function that returns from four places, one inside its loop; a kernel that returns from its own loop over it
// and then leaves its output as it was.
__device__ double folded(double x, int d)
{
    if (x < -1)
        return -x;
    if (d > 2)
        return x * x;
    for (int i = 0; i < d; i++) {
        x = sin(x) + 0.1 * i;
        if (x > 0.9)
            return x * d;
    }
    return cos(x);
}
__global__ void sums(double *y, const double *x, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n)
        return;
    double s = 0;
    for (int d = 0; d < 5; d++) {
        double v = folded(x[i] * (d + 1) * 0.4, d);
        if (v < 0.05 && d == 1)
            return;
        s += v;
    }
    y[i] = s;
}
