/*---
function = "run"
wrt = ["x"]
of = ["y", "z"]
[inputs]
x = { shape = [19], random_uniform = 1, low = 0.3, high = 1.2 }
y = { shape = [19], random_uniform = 2, low = -1.0, high = 1.0 }
z = { shape = [19], random_uniform = 3, low = -1.0, high = 1.0 }
n = 19
---*/
/* What a kernel stores through one pointer it loads through another one, which the launch gives the same buffer. */
struct Pair {
    double *into;
    const double *from;
};

__global__ void square(double *a, const double *b, const double *x, double *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        a[i] = x[i] * x[i];
        y[i] = b[i] * 3.0 + sin(b[i]);
    }
}

__global__ void cube(Pair p, const double *x, double *z, int n)
{
    int i = threadIdx.x;
    if (i < n)
        p.into[i] = x[i] * x[i] * x[i];
    __syncthreads();
    if (i < n)
        z[i] = p.from[i] * p.from[(i + 1) % n];
}

void run(const double *x, double *y, double *z, int n)
{
    double *w;
    cudaMalloc(&w, 2 * n * sizeof(double));
    square<<<(n + 7) / 8, 8>>>(w, w, x, y, n);
    Pair p = {w + n, w + n};
    cube<<<1, 32>>>(p, x, z, n);
    cudaFree(w);
}
