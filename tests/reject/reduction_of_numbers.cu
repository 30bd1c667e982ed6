/*---
function = "k"
wrt = ["x"]
of = ["y"]
error = "SyntaxProblem"
help = "cast the value"
---*/
// Of a double, C++ can choose neither the int nor the unsigned form.
__global__ void k(double *y, const double *x)
{
    int i = threadIdx.x;
    y[i] = x[i] * __reduce_add_sync(0xffffffffu, x[i]);  // expected-error: '__reduce_add_sync' of a 'double' is ambiguous
//                                               ^
}
