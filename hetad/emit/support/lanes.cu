// The lane that a shuffle of `lane` reads.
static __device__ int hetad_lane_up(int lane, unsigned delta, int width)
{
    const int source = lane - (int)(delta & 31);
    return source >= (lane & ~(width - 1)) ? source : lane;
}

static __device__ int hetad_lane_down(int lane, unsigned delta, int width)
{
    const int source = lane + (int)(delta & 31);
    return source <= ((lane | (width - 1)) & 31) ? source : lane;
}

static __device__ int hetad_lane_xor(int lane, int lane_mask, int width)
{
    const int source = lane ^ (lane_mask & 31);
    return source <= ((lane | (width - 1)) & 31) ? source : lane;
}

static __device__ int hetad_lane(int lane, int source, int width)
{
    return (lane & ~(width - 1) & 31) | (source & (width - 1) & 31);
}

// This thread's lane.
static __device__ int hetad_own_lane()
{
    return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) & 31;
}

// Whether `value` is the same in all of `lanes`, which take part with `mask`.
static __device__ bool hetad_same(unsigned mask, unsigned lanes, int value)
{
    return __all_sync(mask, value == __shfl_sync(mask, value, __ffs(lanes) - 1));
}

// The cell that a lane comes to in this turn, of `cells`: each begins at another one.
static __device__ int hetad_spread(int turn, unsigned lane, int cells)
{
    const int at = turn + (int)(lane % (unsigned)cells);
    return at < cells ? at : at - cells;
}
