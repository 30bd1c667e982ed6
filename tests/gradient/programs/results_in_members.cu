/*---
function = "run"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [80] }
x = { shape = [80], random_uniform = 5, low = 0.3, high = 1.7 }
n = 75
---*/
// Functions that store results through pointers to elements of arrays in structs and of tables, the first ones too; C++'s
// alternative tokens; default arguments that are conversions.
#ifndef REAL
#define REAL double
#endif
typedef REAL real;

struct Angles {
    real of[2], rest;
};

__device__ real scaled(real v, real w = real(0.5), int mask = 7 bitand 3) { return v * w * mask; }

__global__ void k(real *y, const real *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Angles q;
    real table[3][2];
    if (not(i < n) or i < 0)
        return;
    real v = x[i];
    sincospi(v, &q.of[0], &q.of[1]);
    sincospi(v * v, &table[1][0], &table[1][1]);
    sincospi(v + x[0], table[2], table[2] + 1);
    q.rest = table[1][0] * table[1][1] + table[2][0] * table[2][1] * table[2][1];
    if (v > 1 and v not_eq 2)
        q.rest *= v;
    y[i] = q.of[0] * q.of[1] * v + scaled(q.rest) * scaled(v, 2, compl 0 xor 1);
}

void run(real *y, const real *x, int n)
{
    k<<<(n + 31) / 32, 32>>>(y, x, n);
}
