// How many neighbouring threads sum together: a warp, where all warps are whole.
static __device__ unsigned hetad_lanes(void)
{
    return blockDim.x * blockDim.y * blockDim.z % 32 == 0 ? 32 : 1;
}

// The sum of `value` over the lanes, in each of them.
static __device__ float hetad_lane_sum_float(float value, unsigned lanes)
{
    for (unsigned offset = lanes / 2; offset > 0; offset /= 2) {
        value += __shfl_xor_sync(0xffffffff, value, offset);
    }
    return value;
}

// The sum of `value` over the lanes, in each of them.
static __device__ double hetad_lane_sum_double(double value, unsigned lanes)
{
    for (unsigned offset = lanes / 2; offset > 0; offset /= 2) {
        value += __shfl_xor_sync(0xffffffff, value, offset);
    }
    return value;
}

// How many neighbouring threads deal out the iterations of a loop.
static __device__ unsigned hetad_few_lanes(void)
{
    return blockDim.x * blockDim.y * blockDim.z % 32 == 0 ? 8 : 1;
}

// The value that a member of this thread's group has.
#define hetad_of_lane(value, member, lanes) ((lanes) == 1 ? (value) : __shfl_sync(0xffffffff, (value), (member), (lanes)))
