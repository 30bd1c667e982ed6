/*---
function = "f"
---*/
#include <cufft.h>

void f(cufftDoubleComplex *x, int n)
{
    cufftHandle plan;
    cufftPlan3d(&plan, n, n, n, CUFFT_Z2Z);  // expected-error: hetad does not know 'cufftPlan3d'
    cufftExecZ2Z(plan, x, x, CUFFT_FORWARD);
}
