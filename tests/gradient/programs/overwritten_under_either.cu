/*---
function = "run"
wrt = ["x", "y"]
of = ["out"]
[inputs]
out = { zeros = [10] }
y = { shape = [10], random = 1 }
x = { shape = [15], random = 2 }
m = 10
s = 1
steps = 3
---*/
// A kernel that stores under either of two conditions: its threads do not reach all cells, and those that stay are
// needed behind it.
__global__ void some(double *y, const double *x, int m, int s)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int q = i / m;
    int r = i % m;
    if (q == s || r < 0)
        y[r] = 1.5 * x[i];
}
__global__ void add(double *out, const double *y, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m)
        out[i] += sin(y[i]);
}
__global__ void grow(double *y, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m)
        y[i] = y[i] * y[i] + 0.25;
}
void run(double *out, const double *y, const double *x, int m, int s, int steps)
{
    double *d;
    cudaMalloc(&d, m * sizeof(double));
    cudaMemcpy(d, y, m * sizeof(double), cudaMemcpyDefault);
    for (int k = 0; k < steps; ++k) {
        add<<<3, 5>>>(out, d, m);
        some<<<3, 5>>>(d, x, m, s);
        add<<<3, 5>>>(out, d, m);
        grow<<<3, 5>>>(d, m);
    }
    cudaFree(d);
}
