/*---
function = "norm"
wrt = ["x"]
[inputs]
x = { shape = [333], random = 1 }
n = 333

[[cases]]
name = "many"

[[cases]]
name = "less_than_a_block"
inputs = { n = 5 }

[[cases]]
name = "one"
inputs = { n = 1 }
---*/
// A tree reduction over launches whose grid shrinks until one block is left, between two buffers that take turns.
#include <math.h>

#define BLOCK 16

__global__ void square(double *y, const double *x, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        y[i] = x[i] * x[i];
}

__global__ void reduce(double *out, const double *in, int n)
{
    extern __shared__ double cache[];
    unsigned t = threadIdx.x, i = blockIdx.x * (2 * blockDim.x) + t;
    double sum = i < n ? in[i] : 0.0;
    if (i + blockDim.x < n)
        sum += in[i + blockDim.x];
    cache[t] = sum;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s)
            cache[t] += cache[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = cache[0];
}

double norm(const double *x, int n)
{
    double *d_x, *from, *to, result;
    cudaMalloc(&d_x, n * sizeof(double));
    cudaMalloc(&from, n * sizeof(double));
    cudaMalloc(&to, n * sizeof(double));
    cudaMemcpy(d_x, x, n * sizeof(double), cudaMemcpyHostToDevice);
    square<<<3, 32>>>(from, d_x, n);
    int left = n;
    do {
        int blocks = (left + 2 * BLOCK - 1) / (2 * BLOCK);
        reduce<<<blocks, BLOCK, BLOCK * sizeof(double)>>>(to, from, left);
        double *swap = from;
        from = to;
        to = swap;
        left = blocks;
    } while (left > 1);
    cudaMemcpy(&result, from, sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    cudaFree(from);
    cudaFree(to);
    return sqrt(result);
}
