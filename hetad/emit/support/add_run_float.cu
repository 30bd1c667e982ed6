// target[i] += values[i] for i < count, a literal: in steps of two and four where they are aligned for it.
static __device__ __forceinline__ void hetad_add_run_float(float *target, const float *values, int count)
{
#if __CUDA_ARCH__ >= 900 && __CUDACC_VER_MAJOR__ >= 12
    #pragma unroll
    for (int past = 0; past < 4; ++past) {
        if (((size_t)target / sizeof(float)) % 4 == past) {
            int i = 0;
            if (past % 2 == 1) {
                atomicAdd(&target[i], values[i]);
                i += 1;
            }
            if ((past == 1 || past == 2) && i + 2 <= count) {
                atomicAdd((float2 *)&target[i], make_float2(values[i], values[i + 1]));
                i += 2;
            }
            #pragma unroll
            for (; i + 4 <= count; i += 4) {
                atomicAdd((float4 *)&target[i], make_float4(values[i], values[i + 1], values[i + 2], values[i + 3]));
            }
            if (i + 2 <= count) {
                atomicAdd((float2 *)&target[i], make_float2(values[i], values[i + 1]));
                i += 2;
            }
            if (i < count) {
                atomicAdd(&target[i], values[i]);
            }
        }
    }
#else
    for (int i = 0; i < count; ++i) {
        atomicAdd(&target[i], values[i]);
    }
#endif
}
