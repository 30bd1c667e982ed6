/*---
function = "evolve"
wrt = ["u", "v"]
of = ["u", "v"]
[inputs]
u = { shape = [50], random_uniform = 1, low = -0.5, high = 0.5 }
v = { shape = [50], random_uniform = 2, low = -0.5, high = 0.5 }
n = 50
steps = 3

[[cases]]
name = "odd"

[[cases]]
name = "even"
inputs = { steps = 4 }

[[cases]]
name = "none"
inputs = { steps = 0 }
---*/
// A time loop that swaps pointers: each pullback must meet the buffers, and the values, of its own step.
__global__ void step(const double *old, double *next, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        next[i] = old[i] + 0.3 * sin(old[i]) * next[i];
}

void evolve(double *u, double *v, int n, int steps)
{
    double *from = u;
    double *to = v;
    for (int t = 0; t < steps; t++) {
        step<<<(n + 15) / 16, 16>>>(from, to, n);
        double *other = from;
        from = to;
        to = other;
    }
}
