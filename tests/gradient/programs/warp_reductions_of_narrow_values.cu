/*---
function = "run"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [80] }
x = { shape = [80], random_uniform = 5, low = 0.31, high = 1.69 }
n = 75
---*/
// `__reduce_…_sync` of values that C++ promotes to int (bool, char, unsigned char, short), of int and of unsigned, whose
// sum and extrema are unsigned.
#ifndef REAL
#define REAL double
#endif
typedef REAL real;

__global__ void k(real *y, const real *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    real v = i < n ? x[i] : 1;
    int above = __reduce_add_sync(0xffffffffu, i < n && v > 1);
    unsigned char byte = (unsigned char)(v * 100);
    signed char small = (signed char)(50 - v * 100);
    short negative = (short)(-v * 1000);
    int bytes = __reduce_add_sync(0xffffffffu, byte);
    int least = __reduce_min_sync(0xffffffffu, small);
    int most = __reduce_max_sync(0xffffffffu, negative);
    real large = __reduce_max_sync(~0u, 3000000000u + (unsigned)(v * 10)) * (real)1e-9;
    real wrapped = __reduce_add_sync(~0u, -1 - i % 2) * (real)0.1;
    if (i < n)
        y[i] = v * v * above + bytes * (real)1e-3 * sin(v) + least * v * v * v + most * (real)1e-3 * v + large * exp(v)
            + wrapped * v;
}

void run(real *y, const real *x, int n)
{
    k<<<(n + 31) / 32, 32>>>(y, x, n);
}
