/*---
wrt = ["x"]
of = ["y"]
[launch]
grid = 2
block = 8
shared_mem = 64
[inputs]
y = { zeros = [16] }
x = { shape = [16], random = 1 }

[[cases]]
name = "in_functions"
function = "in_functions"

[[cases]]
name = "in_kernel_and_function"
function = "in_kernel_and_function"
---*/
// Dynamic shared memory that several functions declare: it is the same memory.
__device__ void put(double v)
{
    extern __shared__ double memory[];
    memory[threadIdx.x] = v;
}

__device__ double get(int i)
{
    extern __shared__ double memory[];
    return memory[i];
}

__global__ void in_functions(double *y, const double *x)
{
    int b = blockIdx.x * 8, t = threadIdx.x;
    put(x[b + t] * x[b + t]);
    __syncthreads();
    y[b + t] = get(7 - t) * get(t);
}

__global__ void in_kernel_and_function(double *y, const double *x)
{
    extern __shared__ double memory[];
    int b = blockIdx.x * 8, t = threadIdx.x;
    memory[t] = sin(x[b + t]);
    __syncthreads();
    y[b + t] = get((t + 1) % 8) * memory[t];
}
