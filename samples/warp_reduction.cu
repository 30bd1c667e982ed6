// The cosine similarity of pairs of vectors, one warp to a pair.
//
// Each lane sums over its share of the components, then the lanes exchange their sums by shuffles: five steps of
// __shfl_xor_sync and all lanes hold the total, without shared memory and without a barrier.  The adjoint of a shuffle is
// a shuffle: what a lane has received it sends its adjoint back to.

__device__ double warp_sum(double v)
{
    for (int mask = 16; mask > 0; mask >>= 1)
        v += __shfl_xor_sync(0xffffffff, v, mask);
    return v;
}

__global__ void similarity_kernel(double *similarity, const double *a, const double *b, int pairs, int length)
{
    int pair = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (pair >= pairs)
        return;
    double ab = 0.0, aa = 0.0, bb = 0.0;
    for (int i = lane; i < length; i += 32) {
        double x = a[pair * length + i], y = b[pair * length + i];
        ab += x * y;
        aa += x * x;
        bb += y * y;
    }
    ab = warp_sum(ab);
    aa = warp_sum(aa);
    bb = warp_sum(bb);
    if (lane == 0)
        similarity[pair] = ab * rsqrt(aa * bb);
}

// Device pointers: a and b hold `pairs` rows of `length` values.
void similarities(double *similarity, const double *a, const double *b, int pairs, int length)
{
    int warps = 4;
    similarity_kernel<<<(pairs + warps - 1) / warps, 32 * warps>>>(similarity, a, b, pairs, length);
}
