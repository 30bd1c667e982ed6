/*---
function = "run"
wrt = ["x", "rate"]
[inputs]
x = { shape = [22], random = 1 }
rate = 0.4
n = 22
steps = 4
---*/
// Loops bounded by one member of a struct in memory while other members, and cells that stay the same, are written.
typedef struct { double rate; int n, step; double sums[2]; } Params;

__global__ void model(double *x, Params *p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p->n)
        x[i] = p->rate * x[i] + x[i] * x[i] / (1 + p->step);
}

__global__ void add_up(const double *x, Params *p, double *last)
{
    if (threadIdx.x != 0)
        return;
    p->sums[0] = 0;
    for (int i = 0; i < p->n; i++) {
        p->sums[0] += x[i];
        last[2] = last[1] * x[i];
    }
    for (int i = 0; i < p->n; i += 2)
        p->sums[1] += x[i] * p->rate * last[0];
    p->step++;
    last[0] = last[2] * p->sums[0] * p->sums[0];
}

double run(const double *x, double rate, int n, int steps)
{
    double *d, *last;
    Params h = {rate, n, 0, {0, 0}}, *p;
    cudaMalloc((void **)&d, n * sizeof(double));
    cudaMalloc((void **)&last, 3 * sizeof(double));
    cudaMalloc((void **)&p, sizeof(Params));
    cudaMemcpy(d, x, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(last, x, 3 * sizeof(double), cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; t++) {
        cudaMemcpy(p, &h, sizeof h, cudaMemcpyHostToDevice);
        model<<<(n + 7) / 8, 8>>>(d, p);
        add_up<<<1, 32>>>(d, p, last);
        cudaMemcpy(&h, p, sizeof h, cudaMemcpyDeviceToHost);
        h.rate *= 1 - 0.01 * h.sums[0];
        h.n -= 1;
    }
    cudaFree(d);
    cudaFree(last);
    cudaFree(p);
    return h.sums[1] + h.rate * h.step;
}
