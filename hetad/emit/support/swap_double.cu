// The value of *p, which becomes `value`: of several threads that come with one value, the first finds the old one.
static __device__ double hetad_swap_double(double *p, double value)
{
    return __longlong_as_double(atomicExch((unsigned long long *)p, __double_as_longlong(value)));
}
