/*---
function = "relax"
wrt = ["u", "v"]
of = ["u", "v"]
[inputs]
u = { shape = [21], random_uniform = 1, low = 0.1, high = 0.99 }
v = { shape = [21], random_uniform = 2, low = 0.1, high = 0.99 }
n = 21
steps = 4
[[cases]]
[cases.inputs]
steps = 0
---*/
// A loop that data end early, in a kernel whose buffers the host swaps: what it reads is never what it writes.
__global__ void gather(double *to, const double *from, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double sum = 0;
        for (int j = 0; j < 5; j++) {
            if (from[(i + j) % n] > 0.8)
                break;
            sum += from[(i + j) % n] * from[i];
            to[i] = sum;
        }
    }
}

void relax(double *u, double *v, int n, int steps)
{
    double *a = u, *b = v;
    for (int t = 0; t < steps; t++) {
        gather<<<(n + 7) / 8, 8>>>(b, a, n);
        double *other = a;
        a = b;
        b = other;
    }
}
