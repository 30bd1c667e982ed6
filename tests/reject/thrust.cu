/*---
function = "f"
error = "UnsupportedError"
---*/
#include <thrust/unique.h>

double *f(double *x, int n)
{
    return thrust::unique(x, x + n);  // expected-error: thrust::unique with these arguments
//         ^
}
