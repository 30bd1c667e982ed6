// The value of *p, which becomes zero: each adjoint is taken once, however many threads come for it.
static __device__ float hetad_take_float(float *p)
{
    return atomicExch(p, 0.0f);
}
