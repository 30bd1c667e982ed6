// The value of *p, which becomes zero: each adjoint is taken once, however many threads come for it.
static __device__ double hetad_take_double(double *p)
{
    return __longlong_as_double(atomicExch((unsigned long long *)p, 0ull));
}
