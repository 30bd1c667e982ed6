// The value of *p, which becomes `value`: of several threads that come with one value, the first finds the old one.
static __device__ float hetad_swap_float(float *p, float value)
{
    return atomicExch(p, value);
}
