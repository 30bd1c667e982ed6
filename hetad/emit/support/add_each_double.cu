// target[i] += values[i] for i < count, a literal: one by one, by a thread that computes longer than this takes.
static __device__ __forceinline__ void hetad_add_each_double(double *target, const double *values, int count)
{
    #pragma unroll
    for (int i = 0; i < count; ++i) {
        hetad_add_global(&target[i], values[i]);
    }
}
