/*---
function = "f"
error = "UnsupportedError"
help = "curandStatePhilox4_32_10_t"
---*/
#include <curand_kernel.h>

__global__ void f(float *y)
{
    curandStateMRG32k3a state;  // expected-error @5: this part of cuRAND
    curand_init(1234, threadIdx.x, 0, &state);
    y[threadIdx.x] = curand_uniform(&state);
}
