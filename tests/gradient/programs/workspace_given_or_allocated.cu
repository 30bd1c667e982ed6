/*---
function = "run"
wrt = ["x"]
of = ["y"]
[inputs]
x = { shape = [21], random_uniform = 1, low = 0.3, high = 1.2 }
y = { shape = [21], random_uniform = 2, low = -1.0, high = 1.0 }
given = { shape = [21], random_uniform = 3, low = -1.0, high = 1.0 }
n = 21
steps = 4
[[cases]]
name = "both"
inputs = { own = 2 }
[[cases]]
name = "given"
inputs = { own = 9 }
[[cases]]
name = "allocated"
inputs = { own = 1 }
---*/
/* A loop in which the workspace is the caller's or is allocated, and is freed then: again, last, and at an early end. */
__global__ void cube(double *w, const double *x, double a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        w[i] = a * x[i] * x[i] * x[i];
}

__global__ void add(double *y, const double *w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 0.5 * y[i] * y[i] + w[i] * w[(i + 1) % n];
}

void run(const double *x, double *y, double *given, int n, int steps, int own)
{
    for (int k = 1; k <= steps; k++) {
        double *w = given;
        if (k % own == 0)
            cudaMalloc((void **)&w, n * sizeof(double));
        cube<<<(n + 7) / 8, 8>>>(w, x, 0.25 * k, n);
        add<<<(n + 7) / 8, 8>>>(y, w, n);
        if (k % own == 0)
            cudaFree(w);
    }
}
