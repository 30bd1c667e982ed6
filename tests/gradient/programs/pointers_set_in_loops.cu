/*---
function = "march"
wrt = ["u", "c"]
of = ["u"]
[inputs]
u = { shape = [37], random_uniform = 1, low = 0.2, high = 1.0 }
c = 0.3
n = 37
steps = 9

[[cases]]
name = "recorded"

[[cases]]
name = "memory_limit"
memory_limit = "8kB"

[[cases]]
name = "no_steps"
inputs = { steps = 0 }
---*/
// Variables of a loop's body that follow from others are set again in the reverse sweep: some of these, not all.
__global__ void bend(double *v, const double *u, double a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] = 0.6 * u[i] + 0.2 * v[i] + a * u[i] * u[(i + 1) % n];
}

struct window {
    int first, count;
};

void march(double *u, double c, int n, int steps)
{
    double *ring[2], *buffer;
    cudaMalloc(&buffer, 3 * n * sizeof(double));
    cudaMemcpy(buffer, u, n * sizeof(double), cudaMemcpyDeviceToDevice);
    cudaMemset(buffer + n, 0, 2 * n * sizeof(double));
    ring[0] = buffer;
    ring[1] = buffer + n;
    for (int t = 0; t < steps; t++) {
        double *from = ring[t % 2];           // from memory that stays
        double *to = t % 2 ? buffer : buffer + n;
        double *shifted = buffer + 2 * n;     // from what the loop leaves alone
        double *again = shifted;              // from another such
        int last = n - 1, end = last;
        double rate = c, half;                // a number with an adjoint
        half = rate;
        bend<<<(n + 15) / 16, 16>>>(to, from, rate, n);
        last = last - 2;                      // set twice
        struct window w = {0, n};
        w.count = last;                       // set in part
        for (int s = 0; s < 2; s++) {
            double *inner = to + s;           // from what this loop leaves alone, not the one around
            int many = w.count - s;
            bend<<<(many + 15) / 16, 16>>>(shifted, inner, half, many);
        }
        bend<<<(end + 15) / 16, 16>>>(to, again + 1, 0.5 * c, end);
        c = 0.9 * c + 0.01 * t;
    }
    cudaMemcpy(u, ring[steps % 2], n * sizeof(double), cudaMemcpyDeviceToDevice);
    cudaFree(buffer);
}
