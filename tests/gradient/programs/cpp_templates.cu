/*---
function = "reduce"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [3] }
x = { shape = [50], random = 1 }
n = 50

[[cases]]
name = "double"

[[cases]]
name = "float"
function = "reduce_floats"
---*/
// Function templates with types and numbers for parameters, given or deduced.
template <typename T>
__device__ T square(T v)
{
    return v * v;
}

template <typename T, int N>
__device__ T polynomial(T v)
{
    T sum = T(0);
#pragma unroll
    for (int k = 0; k < N; k++)
        sum = sum * v + T(1) / T(k + 1);
    return sum;
}

template <typename T, int BLOCK>
__global__ void reduce_kernel(T *y, const T *__restrict__ x, int n)
{
    __shared__ T work[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    work[t] = i < n ? square(x[i]) + polynomial<T, 3>(x[i]) : T(0);
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s >>= 1) {
        if (t < s)
            work[t] += work[t + s];
        __syncthreads();
    }
    if (t == 0)
        y[blockIdx.x] = work[0];
}

void reduce(double *y, const double *x, int n)
{
    reduce_kernel<double, 16><<<3, 16>>>(y, x, n);
}

void reduce_floats(float *y, const float *x, int n)
{
    reduce_kernel<float, 16><<<3, 16>>>(y, x, n);
}
