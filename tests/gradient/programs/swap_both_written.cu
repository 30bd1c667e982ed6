/*---
function = "evolve"
wrt = ["a", "b"]
of = ["a", "b"]
[inputs]
a = { shape = [37], random_uniform = 1, low = 0.5, high = 1.0 }
b = { shape = [37], random_uniform = 2, low = 0.5, high = 1.0 }
n = 37
steps = 3

[[cases]]
name = "loop"

[[cases]]
name = "chosen"
function = "chosen"
---*/
// A kernel writes both of its arguments, and which buffers they are is known only at run time: both must be saved.
__global__ void both(double *p, double *q, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double u = p[i], v = q[i];
        p[i] = u * v + 0.1;
        q[i] = v * v + 0.3 * u;
    }
}

void evolve(double *a, double *b, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        both<<<(n + 15) / 16, 16>>>(a, b, n);
        double *other = a;
        a = b;
        b = other;
    }
}

void chosen(double *a, double *b, int n, int steps)
{
    double *p = steps % 2 ? a : b;
    double *q = steps % 2 ? b : a;
    both<<<(n + 15) / 16, 16>>>(p, q, n);
    both<<<(n + 15) / 16, 16>>>(q, p, n);
    both<<<(n + 15) / 16, 16>>>(p, q, n);
}
