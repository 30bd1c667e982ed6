/*---
function = "select"
wrt = ["x"]
of = ["y"]
[launch]
grid = 2
block = 20
[inputs]
y = { zeros = [33] }
x = { shape = [33], random = 1 }
n = 33
---*/
// && and || guard loads that would lie outside; ternaries nest and choose the target; the comma sequences.
__global__ void select(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (!(i < n))
        return;
    double v = x[i];
    if (i > 0 && x[i - 1] > 0.2 || i < n - 1 && x[i + 1] > 0.4)
        v = v * v;
    double w = v > 1.0 ? v * 2.0 : v < -1.0 ? v * v : sin(v);
    int k = (i == 0 || x[i - 1] < 0.0) && v > -0.5 ? i : n - 1 - i;
    double left, right;
    left = w + 1.0, right = left * x[k];
    double high = fmax(left, right), low = left < right ? left : right;
    int truth = (high > 0.0) + !(low > 0.0);
    *(i % 2 ? &left : &right) *= 3.0;
    y[i] = left * right + truth * high * low;
}
