/*---
function = "normalised"
wrt = ["x"]
of = ["y"]
breaks = "adjoint"
[right.inputs]
x = { shape = [12], random_uniform = 13, low = 0.2, high = 1.5 }
[inputs]
y = { zeros = [12] }
x = { zeros = [12] }
n = 12
---*/
// Sums in a variable at file scope, which the host cannot look at: the threads of its launches can.
__device__ double total;

__global__ void clear() { total = 0; }

__global__ void add(const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&total, x[i]);
}

__global__ void divide(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double length = sqrt(total * total * total * total + total); // breaks
        y[i] = x[i] + length;
    }
}

void normalised(double *y, const double *x, int n)
{
    clear<<<1, 1>>>();
    add<<<2, 8>>>(x, n);
    divide<<<2, 8>>>(y, x, n);
}
