// target[i] += values[i] for i < count, a literal of at most 24: an even number of cells, of which neighbouring lanes often
// have half in common. In a whole warp a lane passes the second half on to the next one, if that adds to the same cells.
static __device__ __forceinline__ void hetad_add_chain_double(double *target, const double *values, int count)
{
#if __CUDA_ARCH__ >= 700
    if (__activemask() == 0xffffffffu) {
        const int half = count / 2;
        const unsigned lane = (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
        const unsigned long long cell = (unsigned long long)target;
        const unsigned long long before = __shfl_up_sync(0xffffffffu, cell, 1);
        const int takes = lane > 0 && before + half * sizeof(double) == cell;
        const int next = __shfl_down_sync(0xffffffffu, takes, 1);
        double sums[12];
        #pragma unroll
        for (int i = 0; i < half; ++i) {
            const double more = __shfl_up_sync(0xffffffffu, values[half + i], 1);
            sums[i] = values[i] + (takes ? more : 0);
        }
        if (half % 2 == 1) {
            hetad_add_dealt_double(target, sums, half);
        } else {
            hetad_add_each_double(target, sums, half);
        }
        if (lane == 31 || !next) {
            hetad_add_each_double(target + half, values + half, half);
        }
        return;
    }
#endif
    hetad_add_each_double(target, values, count);
}
