/*---
wrt = ["x"]
of = ["out"]
[inputs]
out = { zeros = [1] }
x = { shape = [101], random = 1 }
n = 101
[[cases]]
name = "sum"
function = "sum_of_squares"
[cases.launch]
grid = 3
block = 16
shared_mem = 64
[[cases]]
name = "sum_in_more_threads"
function = "sum_of_squares"
[cases.launch]
grid = 2
block = 64
shared_mem = 256
[[cases]]
name = "two_arrays"
function = "two_arrays"
[cases.launch]
grid = 3
block = 16
shared_mem = 192
---*/
// Sums of a grid-stride loop in dynamic shared memory, which is no part of any parameter's.
__global__ void sum_of_squares(float *out, const float *x, int n)
{
    extern __shared__ float part[];
    int t = threadIdx.x;
    float s = 0.0f;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
        s += x[i] * x[i];
    part[t] = s;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k >>= 1) {
        if (t < k)
            part[t] += part[t + k];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(out, part[0]);
}

__global__ void two_arrays(float *out, const float *x, int n)
{
    extern __shared__ float memory[];
    float *a = memory;
    double *b = (double *)(memory + 16);
    int t = threadIdx.x;
    float s = 0.0f;
    double p = 0.0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
        s += x[i] * x[i];
        p += (double)x[i] * x[i] * x[i];
    }
    a[t] = s;
    b[t] = p;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k >>= 1) {
        if (t < k) {
            a[t] += a[t + k];
            b[t] += b[t + k];
        }
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(out, a[0] * (float)b[0]);
}
