// Where threads leave numbers for the others of their warp: each its own twelve, and one more so that the banks differ.
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

// target[i] += values[i] for i < count, a literal of at most twelve. The lanes that come here at once add one run after
// the other, neighbouring lanes to neighbouring cells, which takes one transaction for each four cells. Lanes that come
// at other times, or elsewhere, have other places on the stage.
static __device__ __forceinline__ void hetad_add_run_double(double *target, const double *values, int count)
{
#if __CUDA_ARCH__ >= 700
    const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    if (blockDim.x * blockDim.y * blockDim.z <= 256) {
        const unsigned lane = thread % 32, group = count > 8 ? 32 : count > 4 ? 16 : 8;  // lanes that work together
        const unsigned mask = __activemask() & (0xffffffffu >> (32 - group)) << (lane & ~(group - 1));
        const unsigned rank = __popc(mask & ((1u << lane) - 1)), members = __popc(mask);
        double *own = hetad_stage() + thread * 13, *first = hetad_stage() + (thread - lane) * 13;
        #pragma unroll
        for (int i = 0; i < count; ++i) {
            own[i] = values[i];
        }
        __syncwarp(mask);
        for (unsigned left = mask; left != 0; left &= left - 1) {
            const unsigned source = __ffs(left) - 1;
            double *run = (double *)__shfl_sync(mask, (unsigned long long)target, source);
            for (unsigned i = rank; i < count; i += members) {
                hetad_add_global(&run[i], first[source * 13 + i]);
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
