/*---
function = "f"
---*/
#include <curand.h>

void f(float *x, int n)
{
    curandGenerator_t g;
    curandCreateGenerator(&g, CURAND_RNG_QUASI_SOBOL32);  // expected-error: unknown name 'CURAND_RNG_QUASI_SOBOL32'
    curandGenerateUniform(g, x, n);
}
