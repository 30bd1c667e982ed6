// Where threads leave numbers for the others of their warp: each up to twelve, and the cell that the first belongs to. Rows
// of thirteen fall on different banks.
static __device__ double *hetad_stage(void)
{
    __shared__ double cells[256 * 13];
    return cells;
}

// *cell += value in global memory, which nobody waits for.
static __device__ __forceinline__ void hetad_add_global(double *cell, double value)
{
    const size_t address = __cvta_generic_to_global(cell);
    asm volatile("red.relaxed.gpu.global.add.f64 [%0], %1;" : : "l"(address), "d"(value) : "memory");
}

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

// target[i] += values[i] for i < count, a literal of at most twelve. The lanes that come here at once deal all their
// numbers among them, neighbouring lanes to neighbouring cells, which takes one transaction for each four cells. Lanes
// that come at other times have other places on the stage. A whole warp needs no stage for few numbers.
static __device__ __forceinline__ void hetad_add_run_double(double *target, const double *values, int count)
{
#if __CUDA_ARCH__ >= 700
    const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const unsigned mask = __activemask();
    if (mask == 0xffffffffu && count % 2 == 1 && count <= 5) {
        hetad_add_dealt_double(target, values, count);
        return;
    }
    if (blockDim.x * blockDim.y * blockDim.z <= 256) {
        const unsigned lane = thread % 32;
        const unsigned rank = __popc(mask & ((1u << lane) - 1)), members = __popc(mask);
        double *own = hetad_stage() + thread * 13;
        #pragma unroll
        for (int i = 0; i < count; ++i) {
            own[i] = values[i];
        }
        own[12] = __longlong_as_double((long long)target);
        __syncwarp(mask);
        unsigned source = rank / count, i = rank % count, left = mask;  // the lanes from number `source` on
        for (unsigned k = 0; k < source; ++k) {
            left &= left - 1;
        }
        #pragma unroll
        for (int step = 0; step < count; ++step) {
            const double *row = hetad_stage() + (thread - lane + __ffs(left) - 1) * 13;
            hetad_add_global((double *)__double_as_longlong(row[12]) + i, row[i]);
            i += members % count;
            unsigned past = members / count;
            if (i >= count) {
                i -= count;
                past += 1;
            }
            for (; past > 0; --past) {
                left &= left - 1;
            }
        }
        __syncwarp(mask);
        return;
    }
#endif
    for (int i = 0; i < count; ++i) {
        atomicAdd(&target[i], values[i]);
    }
}
