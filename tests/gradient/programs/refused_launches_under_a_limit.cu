/*---
function = "run"
wrt = ["x", "y", "c"]
of = ["x", "y"]
memory_limit = 3000
[inputs]
x = { shape = [50], random_uniform = 1, low = 0.1, high = 0.9 }
y = { shape = [7], random_uniform = 2, low = 0.1, high = 0.9 }
m = 50
n = 0
steps = 12
c = 0.8
---*/
// A launch without blocks does nothing, and is refused without anybody asking, also where steps are run again.
__global__ void scale(double *y, int n, double c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] *= y[i] * c;
    }
}

__global__ void advance(double *x, int m, double c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m) {
        x[i] = x[i] * x[i] * c + 0.1;
    }
}

void run(double *x, double *y, int m, int n, int steps, double c)
{
    for (int t = 0; t < steps; t++) {
        scale<<<(n + 31) / 32, 32>>>(y, n, c);
        advance<<<(m + 31) / 32, 32>>>(x, m, c);
    }
}
