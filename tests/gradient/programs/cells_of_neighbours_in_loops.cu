/*---
function = "run"
wrt = ["x"]
of = ["x"]
[inputs]
x = { shape = [3, 11], random = 1 }
blocks = 3
steps = 4

[[cases]]
name = "plain"

[[cases]]
name = "counting"
defines = { BARRIER = "__syncthreads_or(0)" }
---*/
// Each thread stores to a cell that stays the same in a loop, and reads its neighbour's before the barrier of the next
// iteration is over: what it finds there is what the neighbour stored in the iteration before.
#ifndef BARRIER
#define BARRIER __syncthreads()
#endif
__global__ void shift(double *x, int steps)
{
    double *row = x + 11 * blockIdx.x;
    int t = threadIdx.x;
    for (int s = 0; s < steps; s++) {
        double next = row[t + 1] * row[t + 1] + 0.3 * row[0];
        BARRIER;
        row[t] = sin(next) * (1 + 0.1 * s);
        BARRIER;
    }
}

void run(double *x, int blocks, int steps)
{
    double *d;
    cudaMalloc((void **)&d, blocks * 11 * sizeof(double));
    cudaMemcpy(d, x, blocks * 11 * sizeof(double), cudaMemcpyHostToDevice);
    shift<<<blocks, 10>>>(d, steps);
    cudaMemcpy(x, d, blocks * 11 * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d);
}
