// target[i] += sums[i] for i < count, an odd literal of at most twelve, by all lanes of a warp at once. The sums are
// numbered lane by lane, and a lane adds those that have its own number, 32 more, 64 more: neighbouring lanes add to
// neighbouring cells. Of the i-th sums of all lanes each lane gets one.
static __device__ __forceinline__ void hetad_add_dealt_double(double *target, const double *sums, int count)
{
    const unsigned lane = (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
    double dealt[12] = {};
    #pragma unroll
    for (int i = 0; i < count; ++i) {
        unsigned number = 0;
        #pragma unroll
        for (int turn = 0; turn < count; ++turn) {
            number = (lane + 32 * turn) % count == i ? lane + 32 * turn : number;
        }
        const double mine = __shfl_sync(0xffffffffu, sums[i], number / count);
        #pragma unroll
        for (int turn = 0; turn < count; ++turn) {
            dealt[turn] = i == 0 || number / 32 == turn ? mine : dealt[turn];
        }
    }
    #pragma unroll
    for (int turn = 0; turn < count; ++turn) {
        const unsigned number = lane + 32 * turn;
        double *first = (double *)__shfl_sync(0xffffffffu, (unsigned long long)target, number / count);
        hetad_add_global(first + number % count, dealt[turn]);
    }
}

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
