/*---
function = "norms"
wrt = ["x"]
of = ["out"]
[inputs]
x = { shape = [7, 50], random = 1 }
out = { zeros = [7, 50] }
rows = 7
columns = 50
---*/
// Normalised rows: loads, stores and exchanges of a block, blocked and striped, whose last elements are not there.
#include <cub/cub.cuh>
template <int BLOCK, int ITEMS> __global__ void layer_norm(const double *x, double *out, int columns)
{
    using Load = cub::BlockLoad<double, BLOCK, ITEMS, cub::BLOCK_LOAD_TRANSPOSE>;
    using Store = cub::BlockStore<double, BLOCK, ITEMS, cub::BLOCK_STORE_TRANSPOSE>;
    using Reduce = cub::BlockReduce<double, BLOCK>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Store::TempStorage store;
        typename Reduce::TempStorage reduce;
    } temp;
    __shared__ double mean, scale;
    double v[ITEMS];
    const double *row = x + blockIdx.x * columns;
    Load(temp.load).Load(row, v, columns, 0.0);
    __syncthreads();
    double total = Reduce(temp.reduce).Sum(v);
    if (threadIdx.x == 0)
        mean = total / columns;
    __syncthreads();
    double sq = 0;
    for (int k = 0; k < ITEMS; ++k) {
        if (threadIdx.x * ITEMS + k < columns) {
            v[k] -= mean;
            sq += v[k] * v[k];
        }
    }
    double var = Reduce(temp.reduce).Sum(sq);
    if (threadIdx.x == 0)
        scale = rsqrt(var / columns + 1e-5);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; ++k)
        v[k] *= scale;
    Store(temp.store).Store(out + blockIdx.x * columns, v, columns);
}
template <int BLOCK, int ITEMS> __global__ void smooth(const double *in, double *out, int columns)
{
    using Exchange = cub::BlockExchange<double, BLOCK, ITEMS>;
    __shared__ typename Exchange::TempStorage temp;
    double v[ITEMS], w[ITEMS];
    for (int k = 0; k < ITEMS; ++k)
        v[k] = 0.25;
    cub::BlockLoad<double, BLOCK, ITEMS, cub::BLOCK_LOAD_STRIPED>().Load(in + blockIdx.x * columns, v, columns);
    Exchange(temp).StripedToBlocked(v, w);
    for (int k = 1; k < ITEMS; ++k)
        w[k] = w[k] * w[k] + 0.5 * w[k - 1];
    Exchange(temp).BlockedToStriped(w);
    cub::BlockStore<double, BLOCK, ITEMS, cub::BLOCK_STORE_STRIPED>().Store(out + blockIdx.x * columns, w, columns);
}
void norms(const double *x, double *out, int rows, int columns)
{
    double *dx, *dout;
    const size_t bytes = sizeof(double) * rows * columns;
    cudaMalloc(&dx, bytes);
    cudaMalloc(&dout, bytes);
    cudaMemcpy(dx, x, bytes, cudaMemcpyHostToDevice);
    layer_norm<16, 4><<<rows, 16>>>(dx, dout, columns);
    smooth<16, 4><<<rows, 16>>>(dout, dx, columns);
    cudaMemcpy(out, dx, bytes, cudaMemcpyDeviceToHost);
    cudaFree(dx);
    cudaFree(dout);
}
