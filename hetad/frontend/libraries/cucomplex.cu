// What cuComplex.h declares.
typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

static __host__ __device__ inline cuComplex make_cuComplex(float x, float y)
{
    return make_float2(x, y);
}

static __host__ __device__ inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z)
{
    return make_double2((double)z.x, (double)z.y);
}

static __host__ __device__ inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z)
{
    return make_float2((float)z.x, (float)z.y);
}
