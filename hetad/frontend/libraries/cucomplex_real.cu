static __host__ __device__ inline complex make_cuRealComplex(real x, real y)
{
    return make_complex(x, y);
}

static __host__ __device__ inline real cuCrealOfComplex(complex z)
{
    return z.x;
}

static __host__ __device__ inline real cuCimagOfComplex(complex z)
{
    return z.y;
}

static __host__ __device__ inline complex cuConjOfComplex(complex z)
{
    return make_complex(z.x, -z.y);
}

static __host__ __device__ inline complex cuCaddOfComplex(complex a, complex b)
{
    return make_complex(a.x + b.x, a.y + b.y);
}

static __host__ __device__ inline complex cuCsubOfComplex(complex a, complex b)
{
    return make_complex(a.x - b.x, a.y - b.y);
}

static __host__ __device__ inline complex cuCmulOfComplex(complex a, complex b)
{
    return make_complex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

static __host__ __device__ inline complex cuCfmaOfComplex(complex a, complex b, complex c)
{
    return make_complex(a.x * b.x + c.x - a.y * b.y, a.x * b.y + c.y + a.y * b.x);
}

// Both are scaled by the size of the divisor, so that its square neither overflows nor vanishes.
static __host__ __device__ inline complex cuCdivOfComplex(complex a, complex b)
{
    real scale = 1 / (fabs(b.x) + fabs(b.y));
    real ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;
    real square = 1 / (bx * bx + by * by);
    return make_complex((ax * bx + ay * by) * square, (ay * bx - ax * by) * square);
}

static __host__ __device__ inline real cuCabsOfComplex(complex z)
{
    return hypot(z.x, z.y);
}
