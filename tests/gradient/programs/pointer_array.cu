/*---
function = "alternate"
wrt = ["a", "b"]
of = ["b"]
[inputs]
a = { shape = [37], random_uniform = 1, low = 0.5, high = 1.0 }
b = { shape = [37], random_uniform = 2, low = 0.5, high = 1.0 }
n = 37
steps = 3
---*/
// Buffers chosen from an array of pointers.
__global__ void add(double *next, const double *old, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        next[i] += 0.3 * old[i] * old[i];
}

void alternate(double *a, double *b, int n, int steps)
{
    double *buffers[2] = {a, b};
    for (int t = 0; t < steps; t++)
        add<<<(n + 15) / 16, 16>>>(buffers[(t + 1) % 2], buffers[t % 2], n);
}
