/*---
function = "model"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [5] }
x = { shape = [300], random_uniform = 1, low = 0.5, high = 1.5 }
n = 300
---*/
// Sums of blocks and warps by cub.
#include <cub/cub.cuh>

template <int THREADS> __global__ void norms(double *y, const double *x, int n)
{
    typedef cub::BlockReduce<double, THREADS> Reduce;
    __shared__ typename Reduce::TempStorage storage;
    int i = blockIdx.x * THREADS + threadIdx.x;
    double v = i < n ? x[i] * x[i] : 0.0;
    double sum = Reduce(storage).Sum(v);
    __syncthreads();
    double most = Reduce(storage).Reduce(v, cub::Max());
    typedef cub::WarpReduce<double> OfWarp;
    __shared__ typename OfWarp::TempStorage of_warps[THREADS / 32];
    double first = OfWarp(of_warps[threadIdx.x / 32]).Sum(v * v);
    if (threadIdx.x == 0)
        y[blockIdx.x] = sum * sum + most * first;
}

void model(double *y, const double *x, int n)
{
    double *d_x, *d_y;
    cudaMalloc(&d_x, n * sizeof(double));
    cudaMalloc(&d_y, 5 * sizeof(double));
    cudaMemcpy(d_x, x, n * sizeof(double), cudaMemcpyHostToDevice);
    norms<64><<<5, 64>>>(d_y, d_x, n);
    cudaMemcpy(y, d_y, 5 * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    cudaFree(d_y);
}
