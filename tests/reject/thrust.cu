/*---
function = "f"
error = "UnsupportedError"
---*/
#include <thrust/reduce.h>

double f(double *x, int n)
{
    return thrust::reduce(x, x + n);  // expected-error: the thrust library
//         ^
}
