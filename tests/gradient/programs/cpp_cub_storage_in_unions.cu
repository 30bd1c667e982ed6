/*---
function = "run"
wrt = ["x"]
of = ["y"]
[inputs]
x = { shape = [75], random_uniform = 3, low = 0.4, high = 1.7 }
y = { zeros = [75] }
n = 75
---*/
// The memory of cub's algorithms in unions, as programs share it: each has its own.
#include <cub/cub.cuh>
template <int N> struct Work {
    union { typename cub::BlockReduce<double, N>::TempStorage r; typename cub::BlockScan<double, N>::TempStorage s; } u;
    double total;
};
template <int N> __global__ void k(double *y, const double *x, int n)
{
    __shared__ Work<N> w;
    __shared__ union Temp { typename cub::BlockReduce<double, N>::TempStorage a; typename cub::BlockScan<double, N>::TempStorage b; } v;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double a = i < n ? x[i] : 0.0;
    double s = cub::BlockReduce<double, N>(w.u.r).Sum(a * a), p;
    if (threadIdx.x == 0) w.total = s;
    __syncthreads();
    cub::BlockScan<double, N>(w.u.s).InclusiveSum(a / w.total, p);
    double q;
    cub::BlockScan<double, N>(v.b).ExclusiveSum(p * a, q);
    __syncthreads();
    double m = cub::BlockReduce<double, N>(v.a).Reduce(q, cub::Max());
    if (threadIdx.x == 0) w.total = m;
    __syncthreads();
    if (i < n) y[i] = p * w.total + y[i];
}
void run(double *y, const double *x, int n)
{
    k<32><<<3, 32>>>(y, x, n);
    k<16><<<5, 16>>>(y, y, n - 5);
}
