// *target += value, in every lane; if all lanes of the warp come here with one target, it is one atomicAdd of their sum.
static __device__ void hetad_warp_add_float(float *target, float value)
{
#if __CUDA_ARCH__ >= 700
    const unsigned lanes = __activemask();
    int same = 0;
    __match_all_sync(lanes, (unsigned long long)target, &same);
    if (same && lanes == 0xffffffffu) {
        #pragma unroll
        for (int distance = 16; distance > 0; distance /= 2) {
            value += __shfl_xor_sync(lanes, value, distance);
        }
        if (hetad_own_lane() != 0) {
            return;
        }
    }
#endif
    if (value != 0) {
        atomicAdd(target, value);
    }
}
