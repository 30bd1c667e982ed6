/*---
wrt = ["x"]
of = ["y"]
launch = { grid = [2], block = [96] }
[inputs]
y = { zeros = [192] }
x = { shape = [192], random = 1 }
m = 3

[[cases]]
function = "once"
[[cases]]
function = "in_a_loop"
[[cases]]
function = "one_of_all"
---*/
// All threads of a block store the same value to a shared variable, or one of them does.
__global__ void once(double *y, const double *x, int m)
{
    __shared__ double s;
    int i = blockIdx.x * 96 + threadIdx.x;
    s = x[blockIdx.x * 96 + m] * x[m];
    __syncthreads();
    y[i] = s * s * x[i];
}

__global__ void in_a_loop(double *y, const double *x, int m)
{
    __shared__ double s;
    int i = blockIdx.x * 96 + threadIdx.x;
    double sum = 0;
    for (int j = 0; j < m; j++) {
        s = x[blockIdx.x * 96 + j];
        __syncthreads();
        sum += s * s * x[i];
        __syncthreads();
    }
    y[i] = sum;
}

__global__ void one_of_all(double *y, const double *x, int m)
{
    __shared__ double s;
    int i = blockIdx.x * 96 + threadIdx.x;
    double sum = 0;
    for (int j = 0; j < m; j++) {
        if (threadIdx.x == 5 * j)
            s = x[blockIdx.x * 96 + j] * x[i];
        __syncthreads();
        sum += s * x[i] + sin(s);
        __syncthreads();
    }
    y[i] = sum;
}
