// The sum of `value` over the first `lanes` lanes of a warp, in lane 0.
static __device__ float hetad_warp_sum_float(float value, unsigned lane, unsigned lanes)
{
    const unsigned mask = lanes < 32 ? (1u << lanes) - 1 : 0xffffffffu;
    for (unsigned offset = 16; offset > 0; offset /= 2) {
        const float other = __shfl_down_sync(mask, value, offset);
        if (lane + offset < lanes) {
            value += other;
        }
    }
    return value;
}

// The sum of `value` over the block, in its first thread; all threads come here.
static __device__ float hetad_block_total_float(float value)
{
    __shared__ float sums[32];
    const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const unsigned warp = thread / 32, lane = thread % 32, warps = (threads + 31) / 32;
    value = hetad_warp_sum_float(value, lane, min(32u, threads - 32 * warp));
    __syncthreads();  // an earlier call may still be reading `sums`
    if (lane == 0) {
        sums[warp] = value;
    }
    __syncthreads();
    if (thread < warps) {
        value = hetad_warp_sum_float(sums[thread], lane, warps);
    }
    return value;
}

// *target += the sum of `value` over the block: one atomicAdd, if any.
static __device__ void hetad_block_add_float(float *target, float value)
{
    value = hetad_block_total_float(value);
    if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0 && value != 0) {
        atomicAdd(target, value);
    }
}

// *target += the sum of `value` over the block, where no other block adds.
static __device__ void hetad_block_sum_float(float *target, float value)
{
    value = hetad_block_total_float(value);
    if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0 && value != 0) {
        *target += value;
    }
}
