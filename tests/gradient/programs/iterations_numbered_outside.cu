/*---
function = "solve"
wrt = ["y", "x"]
of = ["y"]
[launch]
grid = 4
block = 4
[inputs]
y = { shape = [13], random_uniform = 1, low = 0.6, high = 1.4 }
x = { shape = [13], random_uniform = 2, low = 0.3, high = 2.0 }
n = 13
---*/
// Loops that data may end, numbered by variables that are declared before them, and read after.
__global__ void solve(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, k, tried = 0;
    if (i >= n)
        return;
    double gap = 1.0;
    while (gap > 0.01 && tried < 6) {
        y[i] = 0.5 * (y[i] + x[i] / y[i]);
        gap = y[i] * y[i] - x[i];
        gap = gap < 0 ? -gap : gap;
        tried++;
    }
    y[i] *= 1 + 0.1 * tried;
    for (int outer = 0; outer < 2; outer++) {
        for (k = 10; k > 0; k -= 2) {
            y[i] -= 0.1 * y[i] * y[i];
            if (y[i] < 0.4 + 0.2 * outer)
                break;
        }
        y[i] += 0.05 * k * x[i] * y[i];
    }
}
