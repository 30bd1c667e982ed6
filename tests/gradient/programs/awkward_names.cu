/*---
function = "launch"
wrt = ["adj_x", "seed"]
of = ["tape"]
[inputs]
tape = { zeros = [12] }
adj_x = { shape = [12], random = 1 }
seed = 0.4
blocks = 1
---*/
// Names that generated code might like to use itself.
__device__ double sum(double result, double adj_result)
{
    double hetad = result * adj_result;
    return hetad * hetad;
}

__global__ void kernel(double *tape, const double *adj_x, double seed)
{
    int thread = threadIdx.x;
    double args = adj_x[thread] * seed;
    double adj_args = sum(args, adj_x[thread]);
    tape[thread] = adj_args + args;
}

__global__ void kernel_pullback(double *tape, double seed_2)
{
    int i = threadIdx.x;
    tape[i] = tape[i] * tape[i] * seed_2;
}

void launch(double *tape, const double *adj_x, double seed, int blocks)
{
    double stream = seed + 1.0;
    kernel<<<blocks, 12>>>(tape, adj_x, seed);
    kernel_pullback<<<blocks, 12>>>(tape, stream);
}
