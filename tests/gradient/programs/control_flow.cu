/*---
function = "branches"
wrt = ["x"]
of = ["y"]
[launch]
grid = 2
block = 32
[inputs]
y = { zeros = [60] }
x = { shape = [60], random_uniform = 1, low = 0.1, high = 2.0 }
n = 60
---*/
// while, do, break, continue, switch with fallthrough: which statements run depends on the thread and on the data.
__global__ void branches(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double v = x[i];
    int k = 0;
    while (k < 6) {
        k++;
        if (k == i % 4)
            continue;
        if (v > 3.0)
            break;
        v = v * x[i] + 0.5;
    }
    switch (i % 5) {
    case 0:
        v = v * v;
        break;
    case 1:
        v = sin(v);
    case 2:
        v = v + x[i];
        break;
    case 3:
        break;
    default:
        v = x[i] / v;
    }
    do {
        v *= 0.5;
    } while (v > 1.0);
    y[i] = v;
}
