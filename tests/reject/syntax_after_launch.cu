/*---
function = "f"
error = "SyntaxProblem"
---*/
// The position is the user's own, behind a macro and a launch on the same line.
#define THREADS 32
__global__ void k(double *x) { x[threadIdx.x] *= 2.0; }

void f(double *x)
{
    k<<<1, THREADS>>>(x); x[0] = 2.0 * ;  // expected-error: syntax error
//                                     ^
}
