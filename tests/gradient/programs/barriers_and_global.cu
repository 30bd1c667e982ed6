/*---
wrt = ["x"]
of = ["y"]
[launch]
grid = 2
block = 8
[inputs]
y = { zeros = [16] }
x = { shape = [16], random_uniform = 1, low = 0.4, high = 1.4 }

[[cases]]
name = "neighbour"
function = "neighbour"

[[cases]]
name = "products"
function = "products"

[[cases]]
name = "loop"
function = "loop"
---*/
// Threads of a block that exchange values through global memory, with barriers and no shared memory.
__global__ void neighbour(double *y, double *x)
{
    int b = blockIdx.x * 8, t = threadIdx.x;
    x[b + t] = sin(x[b + t]);
    __syncthreads();
    y[b + t] = x[b + (t + 1) % 8];
}

__global__ void products(double *y, double *x)
{
    int b = blockIdx.x * 8, t = threadIdx.x;
    y[b + t] = x[b + t] * x[b + (t + 1) % 8];
    __syncthreads();
    double z = y[b + 7 - t] * y[b + t];
    __syncthreads();
    y[b + t] = z * z + y[b + t];
}

__global__ void loop(double *y, double *x)
{
    int b = blockIdx.x * 8, t = threadIdx.x;
    for (int k = 0; k < 4; k++) {
        double v = x[b + (t + 3) % 8];
        if (k == 2)
            v = v * v;
        __syncthreads();
        if (t % 2 == k % 2)
            x[b + t] = 0.5 * v + sin(x[b + t]);
        __syncthreads();
    }
    y[b + t] = x[b + t] * x[b + t];
}
