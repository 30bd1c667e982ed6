/*---
function = "accumulate"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [24] }
x = { shape = [24], random = 1 }
n = 24
---*/
// Variables in device memory that kernels write and read: a sum, an array, a counter, all in file scope.
__device__ double total;
__device__ double squares[32];
__device__ int calls = 0;
static __device__ const double factors[3] = {0.5, 1.5, -1.0};

__global__ void clear(void)
{
    total = 0.0;
    calls = 0;
}

__global__ void gather(const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        squares[i] = x[i] * x[i] * factors[i % 3];
        atomicAdd(&total, squares[i]);
        atomicAdd(&calls, 1);
    }
}

__global__ void scatter(double *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = squares[n - 1 - i] * total / calls;
}

void accumulate(double *y, const double *x, int n)
{
    clear<<<1, 1>>>();
    gather<<<(n + 7) / 8, 8>>>(x, n);
    scatter<<<(n + 7) / 8, 8>>>(y, n);
}
