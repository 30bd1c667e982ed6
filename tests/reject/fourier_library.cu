/*---
function = "f"
---*/
#include <cufft.h>

void f(cufftDoubleComplex *x, int n)  // expected-error: cufftDoubleComplex
{
    cufftHandle plan;
    cufftPlan1d(&plan, n, CUFFT_Z2Z, 1);
    cufftExecZ2Z(plan, x, x, CUFFT_FORWARD);
}
