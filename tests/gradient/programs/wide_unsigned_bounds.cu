/*---
function = "run"
wrt = ["x"]
of = ["y"]

[inputs]
y = { shape = [20], random = 1 }
x = { shape = [40], random = 2 }
n = 19
m = 100
s = 2

[[cases]]
name = "more than an int holds"
inputs = { m = 4294967291 }
[[cases]]
name = "just more"
inputs = { m = 2147483649 }
[[cases]]
name = "some"
inputs = { m = 7, s = 1 }
---*/
// Threads are counted in int, while a bound is unsigned and may be more than an int holds.
__global__ void spread(double *y, const double *x, int n, unsigned m, int s)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m && i < n)
        y[i] += x[i * s] * x[i * s] + x[(i + 1) * s];
}

void run(double *y, const double *x, int n, unsigned m, int s)
{
    spread<<<(n + 7) / 8, 8>>>(y, x, n, m, s);
}
