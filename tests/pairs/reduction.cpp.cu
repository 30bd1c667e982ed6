template <int Width> struct Tile {
    static constexpr int half = Width / 2;
    static constexpr bool whole = Width == 32;
};
using Warp = Tile<32>;
__global__ void f(double *y, const double *x, int n)
{
    const unsigned rank = threadIdx.x;
    const int i = blockIdx.x * blockDim.x + rank;
    auto v = i < n ? x[i] * x[i] : 0.0;
    for (int d = Warp::half; d > 0; d /= 2)
        if constexpr (Warp::whole)
            v += __shfl_down_sync(0xffffffffu, v, d, 32);
    if (rank % 32u == 0)
        atomicAdd(y, v);
}
