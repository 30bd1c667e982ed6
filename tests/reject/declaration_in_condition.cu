/*---
function = "k"
error = "UnsupportedError"
help = "declare the variable before"
frontend = "c"
---*/
typedef double real;

__global__ void k(real *y, const real *x)
{
    if (const real v = x[threadIdx.x])  // expected-error: a declaration in the condition of 'if'
//      ^
        y[threadIdx.x] = v;
}
